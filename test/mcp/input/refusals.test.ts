import { expect, test } from 'vitest';
import { sharedByTests } from '../../support/at-end.ts';
import { startAcademy } from '../../support/connect.ts';
import { expectRefusal, requestsOf } from '../../support/refusal.ts';

const product = { product_type: 'course', id_or_slug: 2 };

/** A call with one mistake, and the refusal that an agent reads. */
const faults: [tool: string, args: Record<string, unknown>, says: string][] = [
  ['list_orders', { per_page: 101 }, 'per_page must be a whole number from 1 to 100'],
  ['list_orders', { per_page: 0 }, 'per_page must be a whole number from 1 to 100'],
  ['list_orders', { per_page: 1.5 }, 'per_page must be a whole number from 1 to 100'],
  ['list_orders', { per_page: 'ten' }, 'per_page must be a whole number from 1 to 100'],
  ['list_orders', { per_page: 1e300 }, 'per_page must be a whole number from 1 to 100'],
  ['list_orders', { detail: 'some' }, 'detail must be one of summary, full'],
  ['list_courses', { cursor: 'x'.repeat(201) }, 'cursor must have at most 200 characters'],
  ['find_buyers', { product: 'x', statuses: [] }, 'statuses must have at least 1 entry'],
  [
    'sync_roster',
    { students: Array(201).fill({ email: 'a@b.co' }), product: 'course 1' },
    'students must have at most 200 entries',
  ],
  ['find_buyers', { product: 'x', without: 'Write Clearly at Work' }, 'invalid_input: without must be a list. Nothing'],
  ['get_order', { order_id: 'a/b' }, 'order_id must'],
  ['get_channel', { id_or_slug: '../account' }, 'id_or_slug must'],
  ['get_student_details', { email: 'nobody' }, 'email must be an email address'],
  ['list_orders', { status: 'refunded' }, 'wallet_executed'],
  ['search_posts', { query: 'x'.repeat(201) }, 'query must have at most 200 characters'],
  ['create_channel', { name: 'Secret', is_private: true }, 'name, description, group_id, locked'],
  ['list_courses', { cursor: 1 }, 'cursor must be text'],
  ['get_course', { course_id: 0 }, 'course_id must be an id, a whole number above 0'],
  ['get_course', {}, 'course_id is required'],
  ['get_product', { id_or_slug: 2 }, 'product_type is required'],
  ['get_product', { product_type: 'offer' }, 'id_or_slug is required'],
  ['update_product', { ...product, hidden: 'perhaps' }, 'hidden must be true or false'],
  ['update_product', { ...product, preview_page: 7 }, 'preview_page must be true, false or text'],
  ['update_product', { ...product, join_button_text: ['x'] }, 'join_button_text must be text'],
  ['update_product', { ...product, title: 'x'.repeat(256) }, 'title must have at most 255 characters'],
  ['revoke_role', { email: 'ana@example.com', role_id: 1, confirm: 'yes' }, 'confirm must be true or false'],
  ['search_products', { product_type: 'podcast', limit: 0 }, 'limit must be a whole number from 1 to 25'],
];

/** For calls that are refused before anything is sent. */
const opened = sharedByTests(startAcademy);

test.for(faults)('%s refuses %j in plain words', async ([tool, args, says]) => {
  const { call } = await opened();
  const answer = await call(tool, args);
  const text = expectRefusal(answer, 'invalid_input');
  expect(text).toContain(says);
  expect(text).not.toMatch(/expected|received|invalid (input|option)|too (big|small)|<=|>=/i);
  expect(text).toContain('Nothing was sent.\nHint: Correct the arguments and call again.');
  expect(requestsOf(answer)).toBe(0);
});

test('the values of a choice are listed, and every mistake is named once', async () => {
  const { call } = await opened();
  const text = expectRefusal(await call('list_orders', { status: 'open', page: 1e300 }), 'invalid_input');
  expect(text).toMatch(
    /^invalid_input: status must be one of pending, .*, all; page must be a whole number from 1 to 1000000\. /,
  );
});

test('an unknown tool is refused, with the reasons why it may be missing', async () => {
  const { client } = await startAcademy({}, { ACADEMY_READ_ONLY: 'true' });
  const refusal = await client.callTool({ name: 'enroll_student' }).catch((error: unknown) => error);
  expect(refusal).toMatchObject({
    code: -32602,
    message: expect.stringMatching(/^MCP error -32602: Unknown tool: enroll_student\. .*read-only mode .*toolsets/),
  });
});
