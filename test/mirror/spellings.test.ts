import { expect, test } from 'vitest';
import { call as request } from '../support/sandbox.ts';
import { rowsOf, startMirror, whenFilled } from './start-mirror.ts';

test('a write for a student with several spellings of the email removes no order from the copy', async () => {
  const academy = await startMirror({ students: 120, orders: 600 });
  await whenFilled(academy);
  const people = await rowsOf(
    academy,
    `SELECT max(name) AS name, min(email COLLATE BINARY) AS email, (SELECT min(id) FROM courses WHERE id NOT IN
      (SELECT product_id FROM holdings WHERE holdings.email_key = orders.email_key AND kind = 'course')) AS course
      FROM orders GROUP BY email_key HAVING count(DISTINCT email COLLATE BINARY) > 1 LIMIT 3`,
  );
  expect(people).toHaveLength(3);
  for (const { email, name, course } of people) {
    const { isError, text } = await academy.call('enroll_student', { email, name, course_id: course });
    expect(isError, text).toBe(false);
  }
  await academy.call('refresh_data');
  const { body } = await request(academy.sandbox, 'GET', '/api/v1/orders?status=all&page=1&per_page=1');
  const { total_orders: total } = (body as { meta: { total_orders: number } }).meta;
  expect(total).toBe(603);
  await expect
    .poll(async () => (await academy.call('describe_data')).text, { timeout: 20_000 })
    .toContain(`Orders complete (${total})`);
  const { text } = await academy.call('query_data', { sql: 'SELECT count(*) AS n FROM orders' });
  expect(text).toContain(`Orders complete (${total})`);
});
