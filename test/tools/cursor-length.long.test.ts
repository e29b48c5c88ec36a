import { expect, test } from 'vitest';
import { tools } from '../../tools/index.ts';
import { type Row, words } from '../support/academy.ts';
import { connect, connectToApi, startAcademy } from '../support/connect.ts';
import { everyCall } from '../support/every-call.ts';

// A model writes each cursor out again, so that its length costs twice.

const maxLength = 120;
const secret = { ACADEMY_CONFIRM_SECRET: 'a secret for the lengths of cursors' };
/** The longest name of a time zone, and two bounds of the longest form. */
const longest = {
  timezone: 'America/Argentina/ComodRivadavia',
  created_after: '2020-01-01T00:00:00.000000001-03:00',
  created_before: '2999-12-31T23:59:59.999999999+14:00',
};
const course = { product: '7', product_type: 'course' };

/** A call of each tool that answers with a cursor. */
const calls: Readonly<Record<string, Row>> = {
  list_courses: { limit: 1 },
  list_bundles: { limit: 1 },
  list_digital_products: { limit: 1 },
  list_community_groups: { limit: 1 },
  list_roles: { limit: 1 },
  list_assignment_answers: { ...everyCall.list_assignment_answers, limit: 1 },
  list_project_posts: { ...everyCall.list_project_posts, limit: 1 },
  list_completed_students: { ...everyCall.list_completed_students, limit: 1 },
  list_students: { limit: 1, sort: 'joined' },
  find_buyers: { ...course, ...longest, limit: 1 },
  sales_report: { ...longest, group_by: 'day', max_requests: 2 },
  unpaid_orders: { ...course, ...longest, max_requests: 2 },
  course_progress: { course_id: 7, ...longest, max_requests: 2 },
};

const takesCursor = tools.filter(({ input }) => 'cursor' in input.shape).map(({ name }) => name);

test('every tool that takes a cursor is tested here, or with its own texts', () => {
  const elsewhere = ['get_course_structure', 'sync_roster'];
  expect([...Object.keys(calls), ...elsewhere].sort()).toEqual([...takesCursor].sort());
});

test.for(Object.entries(calls))('%s returns a short cursor, which it accepts', async ([tool, args]) => {
  const { call } = await startAcademy({ orders: 900, students: 150 }, secret);
  const first = await call(tool, args);
  const cursor = words(first.structured?.next_cursor);
  expect(cursor.length, first.text).toBeLessThanOrEqual(maxLength);
  expect((await call(tool, { ...args, cursor })).isError).toBe(false);
});

test('get_course_structure returns a short cursor', async () => {
  const lessons = Array.from({ length: 5_000 }, (_, index) => ({ id: index + 1, title: `Lesson ${index}`.repeat(5) }));
  const { call } = await connectToApi(() => ({ body: { modules: [], ungrouped_lessons: lessons } }), secret);
  const { structured } = await call('get_course_structure', { course_id: 1 });
  expect(words(structured?.next_cursor).length).toBeLessThanOrEqual(maxLength);
});

test('a cursor of many products is as short: it goes on with them here and in a new process, and with no others', async () => {
  const academy = await startAcademy({ orders: 900, students: 150 }, secret);
  const products = ['course 1', 'course 2', 'course 3', 'course 5', 'course 7', 'course 8', 'bundle 1', 'bundle 2'];
  const question = { products, without: ['course 9', 'course 10'], ...longest, limit: 1, max_requests: 400 };
  const first = await academy.call('find_buyers', question);
  const cursor = words(first.structured?.next_cursor);
  expect(cursor.length).toBeLessThanOrEqual(maxLength);
  const settings = { ACADEMY_BASE_URL: academy.sandbox.url, ACADEMY_RATE_LIMIT: 'off', ...secret };
  const { call: there } = await connect(settings);
  for (const call of [academy.call, there]) {
    const second = await call('find_buyers', { ...question, cursor });
    expect(second.isError, second.text).toBe(false);
    expect(second.structured?.products).toEqual(first.structured?.products);
    const other = await call('find_buyers', { ...question, products: products.slice(1), cursor });
    expect(other.text).toMatch(/^invalid_input/);
  }
});
