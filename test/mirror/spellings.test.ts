import { expect, test } from 'vitest';
import { call as request } from '../support/sandbox.ts';
import { rowsOf, startMirror, whenFilled } from './start-mirror.ts';

test('a write for a student with several spellings of the email removes no order from the copy', async () => {
  const academy = await startMirror();
  const { orders } = academy.sandbox.academy;
  const [order] = orders.all();
  if (order === undefined) throw new Error('no order');
  const { user_email: email } = order;
  for (const spelling of [email.toUpperCase(), email.replace(/^./, (first) => first.toUpperCase())]) {
    orders.add({ ...order, user_email: spelling, courses: [], bundles: [] });
  }
  await whenFilled(academy);
  const [{ id: course } = {}] = await rowsOf(
    academy,
    `SELECT id FROM courses WHERE id NOT IN (SELECT product_id FROM holdings WHERE email = '${email}' AND kind = 'course')`,
  );
  const { isError, text } = await academy.call('enroll_student', { email, course_id: course });
  expect(isError, text).toBe(false);
  const refreshed = await academy.call('refresh_data');
  const { body } = await request(academy.sandbox, 'GET', '/api/v1/orders?status=all&page=1&per_page=1');
  const { total_orders: total } = (body as { meta: { total_orders: number } }).meta;
  expect(total).toBe(403);
  const words = `Orders complete (${total})`;
  expect(refreshed.text).toContain(words);
  await expect.poll(async () => (await academy.call('describe_data')).text, { timeout: 20_000 }).toContain(words);
  expect((await academy.call('query_data', { sql: 'SELECT count(*) AS n FROM orders' })).text).toContain(words);
});
