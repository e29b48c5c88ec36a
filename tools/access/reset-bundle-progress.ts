import * as access from '../../src/contract/access.ts';
import { defineApiTool } from '../../src/mcp/define-api-tool.ts';
import { called } from '../../src/mcp/titles.ts';
import { bundleProgressFacts } from './access-facts.ts';
import { accessOutput, presentEffect } from './access-result.ts';
import { coursesOfBundle, sendAndReportProgress } from './read-around-write.ts';

export const resetBundleProgress = defineApiTool({
  name: 'reset_bundle_progress',
  toolset: 'access',
  title: 'Reset the progress in a bundle',
  description:
    "Wipes (resets) a student's progress in every course of a whole bundle, for good: they start again. Access: revoke_bundle, course: reset_course_progress.",
  cost: { once: 4, 'per course that orders show in it': 2, 'per further page or email spelling': 1 },
  example: { email: 'freya.hargreaves@example.net', bundle_id: 3 },
  operation: access.resetBundleProgress,
  output: accessOutput('bundle_id'),
  confirmationMessage: ({ email, bundle_id }, titles) =>
    `This deletes the completion and progress records of ${email} in every course of ${called('bundle', bundle_id, titles.bundle_id)} for good; nothing restores them. The API documents no other effect, on orders or on access.`,
  confirmationFacts: ({ email, bundle_id }, context) => bundleProgressFacts(context, email, bundle_id),
  around: ({ email, bundle_id }, context, send) =>
    sendAndReportProgress(email, coursesOfBundle(email, bundle_id), context, (options) => send(undefined, options)),
  present: (answer, { email, bundle_id }, titles, facts) => {
    const progress = `the progress of ${email} in the courses of ${called('bundle', bundle_id, titles.bundle_id)}`;
    const words = { applied: `Deleted ${progress}.`, wasSo: `Nothing to delete: ${progress} was 0% before.` };
    return presentEffect(words, { email, bundle_id }, answer, facts);
  },
});
