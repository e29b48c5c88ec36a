import * as access from '../../src/contract/access.ts';
import { defineApiTool } from '../../src/mcp/define-api-tool.ts';
import { called } from '../../src/mcp/titles.ts';
import { holderFacts, progressFacts, together } from './access-facts.ts';
import { accessOutput, presentEffect } from './access-result.ts';
import { sendAndReportProgress } from './read-around-write.ts';

export const resetCourseProgress = defineApiTool({
  name: 'reset_course_progress',
  toolset: 'access',
  title: 'Reset the progress in a course',
  description:
    "Wipes (resets) a student's completion and progress in one course, for good: they begin again from zero. First see get_course_completion. Access: revoke_course, bundle: reset_bundle_progress.",
  cost: { once: 4 },
  example: { email: 'freya.hargreaves@example.net', course_id: 5 },
  operation: access.resetCourseProgress,
  output: accessOutput('course_id'),
  confirmationMessage: ({ email, course_id }, titles) =>
    `This deletes the completion and progress records of ${email} in ${called('course', course_id, titles.course_id)} for good; nothing restores them. The API documents no other effect, on orders or on access.`,
  confirmationFacts: ({ email, course_id }, context) =>
    together(holderFacts(context, email, course_id), progressFacts(context.api, email, course_id)),
  around: ({ email, course_id }, context, send) => {
    const courses = async () => [{ id: course_id }];
    return sendAndReportProgress(email, courses, context, (options) => send(undefined, options));
  },
  present: (answer, { email, course_id }, titles, facts) => {
    const progress = `the progress of ${email} in ${called('course', course_id, titles.course_id)}`;
    const words = { applied: `Deleted ${progress}.`, wasSo: `Nothing to delete: ${progress} was 0% before.` };
    return presentEffect(words, { email, course_id }, answer, facts);
  },
});
