import * as access from '../../src/contract/access.ts';
import { getStudentDetails } from '../../src/contract/students.ts';
import { untitled } from '../../src/insights/sales/products-in-order.ts';
import { defineApiTool } from '../../src/mcp/define-api-tool.ts';
import { called } from '../../src/mcp/titles.ts';
import { courseLoss, progressFacts, together } from './access-facts.ts';
import { accessOutput, nameIn, optionalName, presentEffect } from './access-result.ts';
import { sendAndReportLosses } from './read-around-write.ts';

export const revokeCourse = defineApiTool({
  name: 'revoke_course',
  toolset: 'access',
  title: 'Revoke a course',
  description:
    "Removes one student's access to a course (cancel, refunded, chargeback, wrong course): takes it away, off every order, bought or granted; other products stay; no money is paid back. enroll_student can grant it again.",
  cost: { once: 6, 'per further page or email spelling': 2, 'without name': 1 },
  example: { email: 'freya.hargreaves@example.net', name: 'Freya Hargreaves', course_id: 5 },
  operation: access.revokeCourse,
  extra: optionalName,
  output: accessOutput('course_id'),
  confirmationMessage: ({ email, course_id }, titles) =>
    `This takes ${called('course', course_id, titles.course_id)} off every order of ${email} that lists it, bought or granted. Other products in these orders stay. The orders and their amounts stay, but sales_report and find_buyers no longer count these orders for the course.`,
  confirmationFacts: ({ email, course_id }, context) =>
    together(courseLoss(context, email, course_id), progressFacts(context.api, email, course_id)),
  around: async (input, context, send) => {
    const { email, course_id } = input;
    const details = input.name === undefined ? await context.api.call(getStudentDetails, { email }) : {};
    const named = nameIn(details, input);
    const revoked = untitled('course', course_id);
    return await sendAndReportLosses(email, revoked, context, (options) => send(named, options));
  },
  present: (answer, { email, course_id }, titles, facts) => {
    const course = called('course', course_id, titles.course_id);
    const applied = `Removed ${course} from the orders of ${email}.`;
    const wasSo = `Nothing to remove: nothing of ${email} listed ${course} before.`;
    return presentEffect({ applied, wasSo }, { email, course_id }, answer, facts);
  },
});
