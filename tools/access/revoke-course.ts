import * as access from '../../src/contract/access.ts';
import { called } from '../../src/mcp/titles.ts';
import { defineApiTool } from '../../src/mcp/tool.ts';
import { accessOutput, presentAccess, takenText } from './access-answer.ts';
import { aroundOrders, courseRefs, takenFields } from './around.ts';
import { courseLoss, progressFacts, together } from './facts.ts';

export const revokeCourse = defineApiTool({
  name: 'revoke_course',
  toolset: 'access',
  title: 'Revoke a course',
  description:
    'Takes a course off every order of a student, bought or granted; the orders stay. For a bundle use revoke_bundle; get_student_details shows what they hold. No undo: enroll_student grants it again, as a new order of amount 0. Returns what was taken from which order, read before and after. Six requests; more where the orders need more than one page or spelling of the email.',
  operation: access.revokeCourse,
  output: accessOutput(['course_id', 'note'], takenFields),
  consequence: ({ email, course_id }, titles) =>
    `This removes ${called('course', course_id, titles.course_id)} from every order of ${email}, bought or granted. The orders stay, without it; other products in them are not touched. Afterwards sales_report and find_buyers no longer count these orders for what was taken off them, while the orders and their amounts stay. It cannot be undone: enroll_student can only grant the course again, as a new order of amount 0.`,
  preview: ({ email, course_id }, api) =>
    together(courseLoss(api, email, course_id), progressFacts(api, email, course_id)),
  around: ({ email, course_id }, context, send) => aroundOrders(email, courseRefs(course_id), context, send),
  present: (answer, { email, course_id }, titles, told) => {
    const course = called('course', course_id, titles.course_id);
    const summary = `Removed ${course} from the orders of ${email}.${takenText(told)}`;
    return presentAccess(summary, { email, course_id }, answer, told);
  },
});
