import { expect, test } from 'vitest';
import { operations } from '../../src/contract/index.ts';
import { startOdd } from '../odd/academy/server.ts';
import { anotherRecord } from '../odd/switches/reads-meaning.ts';
import type { Row } from '../support/academy.ts';
import { connectToApi } from '../support/connect.ts';

// A proxy that keeps answers may answer with the record of another question.

const lessons = [{ id: 60, title: 'Scales', sequence: 1, is_published: true, lesson_type: 'Text' }];
const cases: readonly (readonly [tool: string, args: Row, body: Row])[] = [
  ['get_course', { course_id: 8 }, { id: 7, title: 'Piano' }],
  ['get_bundle', { bundle_id: 8 }, { id: 7, title: 'Pack' }],
  ['get_digital_product', { digital_product_id: 8 }, { id: 7, title: 'Songbook' }],
  ['get_course_structure', { course_id: 8 }, { course: { id: 7 }, modules: [], ungrouped_lessons: lessons }],
  [
    'plan_course_outline',
    { course_id: 8, moves: [{ lesson_id: 60, module_id: null, position: 1 }] },
    { course: { id: 7 }, modules: [], ungrouped_lessons: lessons },
  ],
  ['get_order', { order_id: 'ord_8' }, { id: 'ord_7', amount: '5.00', courses: [] }],
  ['get_course_completion', { course_id: 8, user_email: 'ann@example.com' }, { id: 1, email: 'bo@example.com' }],
  ['get_product', { product_type: 'course', id_or_slug: 'oil' }, { product: { id: 7, slug: 'ink' } }],
  ['get_product', { product_type: 'course', id_or_slug: '8' }, { product: { id: 7, slug: 'ink' } }],
  ['get_channel', { id_or_slug: 'hall' }, { id: 7, name: 'Room', slug: 'room' }],
];

test.each(cases)('%s %j does not show another record', async (tool, args, body) => {
  const { call } = await connectToApi({ body });
  const { text, isError } = await call(tool, args);
  expect(isError).toBe(true);
  expect(text).toMatch(/^unexpected_response: .*another record than the one that was asked for/);
});

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
    else expect(text).toMatch(/^(unexpected_response|outcome_unknown)/);
  },
);
