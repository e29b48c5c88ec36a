import { expect, test } from 'vitest';
import { operations } from '../../src/contract/index.ts';
import { startOdd } from '../odd/academy/server.ts';
import { anotherRecord } from '../odd/switches/reads-meaning.ts';
import type { Row } from '../support/academy.ts';

// A proxy that keeps answers may answer with the record of another question.

/** A buyer of course 11 who has role 2, and a buyer of bundle 31. */
const [student, bundler] = ['ben.brandt.1@example.com', 'cora.costa.2@example.com'];
const questions: readonly (readonly [operation: string, tool: string, args: Row])[] = [
  ['courses.getCourse', 'get_course', { course_id: 11 }],
  ['courses.getCourseStructure', 'get_course_structure', { course_id: 11 }],
  ['courses.getCourseCompletion', 'get_course_completion', { course_id: 11, user_email: student }],
  ['bundles.getBundle', 'get_bundle', { bundle_id: 31 }],
  ['digital_products.getDigitalProduct', 'get_digital_product', { digital_product_id: 51 }],
  ['products.getProduct', 'get_product', { product_type: 'course', id_or_slug: '11' }],
  ['community.getChannel', 'get_channel', { id_or_slug: 'help' }],
  ['orders.getOrder', 'get_order', { order_id: 'ord_255v' }],
  ['students.getStudentDetails', 'get_student_details', { email: student }],
  ['courses.createLesson', 'create_lesson', { course_id: 11, title: 'New' }],
  ['courses.updateLesson', 'update_lesson', { lesson_id: 702, title: 'New' }],
  ['products.updateProduct', 'update_product', { product_type: 'course', id_or_slug: '11', title: 'New' }],
  ['community.createChannel', 'create_channel', { name: 'New' }],
  ['community.updateChannel', 'update_channel', { id_or_slug: 'help', name: 'New' }],
  ['access.enrollStudent', 'enroll_student', { email: student, course_id: 16 }],
  ['access.unenrollStudent', 'unenroll_student', { email: student }],
  ['access.revokeCourse', 'revoke_course', { email: student, course_id: 11 }],
  ['access.revokeBundle', 'revoke_bundle', { email: bundler, bundle_id: 31 }],
  ['access.grantRole', 'grant_role', { email: student, role_id: 1 }],
  ['access.revokeRole', 'revoke_role', { email: student, role_id: 2 }],
  ['access.resetCourseProgress', 'reset_course_progress', { email: student, course_id: 11 }],
  ['access.resetBundleProgress', 'reset_bundle_progress', { email: bundler, bundle_id: 31 }],
];

test('the table above has every operation of a single record', () => {
  const single = operations.filter(({ response, id }) => response.kind !== 'list' && id !== 'account.getAccount');
  expect(questions.map(([id]) => id).sort()).toEqual(single.map(({ id }) => id).sort());
});

test.each(questions)(
  '%s: an answer about another record is never taken for this one',
  async (operation, tool, args) => {
    const { call } = await startOdd([anotherRecord()]);
    const isDestructive = /revoke|unenroll|reset/.test(operation);
    const answer = await call(tool, { ...args, ...(isDestructive && { confirm: true }) });
    const { text, code, structured: data = {} } = answer;
    expect(data.verified, text).not.toBe(true);
    // A new channel has no identity but its name.
    if (operation === 'community.createChannel') expect(data.unchanged_fields).toEqual({ name: 'Not New' });
    else if (code === 'ok') expect(data.outcome, text).not.toBe('applied');
    else if (operation.includes('.get')) expect(text).toMatch(/^unexpected_response: .*another record than the one/);
    else expect(text).toMatch(/^(unexpected_response|outcome_unknown)/);
  },
);
