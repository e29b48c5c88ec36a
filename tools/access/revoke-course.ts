import * as access from '../../src/contract/access.ts';
import { defineApiTool } from '../../src/mcp/tool.ts';
import { accessOutput, presentAccess } from './access-answer.ts';
import { courseLoss, progressFacts, studentFacts, together } from './facts.ts';

export const revokeCourse = defineApiTool({
  name: 'revoke_course',
  toolset: 'access',
  title: 'Revoke a course',
  description:
    'Takes a course off every order of a student, bought or granted; the orders stay. For a bundle use revoke_bundle; get_student_details shows what they hold. No undo: enroll_student grants anew, as a new order of amount 0. One request.',
  operation: access.revokeCourse,
  output: accessOutput('course_id'),
  consequence: ({ email, course_id }) =>
    `This removes course ${course_id} from every order of ${email}, bought or granted. The orders stay, without it; other products in them are not touched. It cannot be undone: enroll_student can grant the course anew, as a new order of amount 0.`,
  preview: ({ email, course_id }, api) =>
    together(studentFacts(api, email), courseLoss(api, email, course_id), progressFacts(api, email, course_id)),
  present: (answer, { email, course_id }) =>
    presentAccess(`Removed course ${course_id} from the orders of ${email}.`, { email, course_id }, answer),
});
