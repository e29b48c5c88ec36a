import { expect, test } from 'vitest';
import { call as request } from '../support/sandbox.ts';
import { buyersOf, emailsOf, someHolder, whenMirrored } from './holders.ts';
import { rowsOf, startFilled, startMirror, whenFilled } from './start-mirror.ts';

test('a write through this server is in the next answer, and soon in that of the mirror', async () => {
  const academy = await startFilled();
  const holder = await someHolder(academy);
  const key = holder.email.toLowerCase();
  const asked = buyersOf(holder.course_id);
  const steps = [
    { tool: 'revoke_course', args: { ...holder, confirm: true }, holds: false },
    { tool: 'enroll_student', args: holder, holds: true },
  ];
  for (const { tool, args, holds } of steps) {
    await whenMirrored(academy, asked);
    expect((await academy.call(tool, args)).isError).toBe(false);
    const next = await academy.call(...asked);
    expect(emailsOf(next).includes(key), `${tool}: ${next.text}`).toBe(holds);
    await whenMirrored(academy, asked);
    expect(emailsOf(await academy.call(...asked)).includes(key), tool).toBe(holds);
  }
});

test('a new title is in the next answer', async () => {
  const academy = await startFilled();
  const { course_id } = await someHolder(academy);
  const args = { product_type: 'course', id_or_slug: String(course_id), title: 'Entirely New' };
  expect((await academy.call('update_product', args)).isError).toBe(false);
  const { structured } = await academy.call('sales_report', {});
  expect(JSON.stringify(structured)).toContain('Entirely New');
  await academy.call('refresh_data');
  const copied = await academy.call('sales_report', {});
  expect(copied.structured).toMatchObject({ coverage: { source: 'mirror' } });
  expect(JSON.stringify(copied.structured)).toContain('Entirely New');
});

test('a student who joins by a write of this server is in the copy after refresh_data', async () => {
  const academy = await startFilled();
  const { course_id } = await someHolder(academy);
  const joined = () => rowsOf(academy, "SELECT name FROM students WHERE email = 'quite@unheard.example'");
  expect(await joined()).toEqual([]);
  await academy.call('enroll_student', { email: 'quite@unheard.example', name: 'Quite Unheard', course_id });
  await academy.call('refresh_data', { what: 'students' });
  expect(await joined()).toEqual([{ name: 'Quite Unheard' }]);
});

test('the plan of a destructive tool is read from the API', async () => {
  const academy = await startFilled();
  const holder = await someHolder(academy);
  const { email } = holder;
  const before = await academy.call('offboard_student', { email });
  await request(academy.sandbox, 'POST', '/api/v1/student/revoke-course', holder);
  const after = await academy.call('offboard_student', { email });
  expect(after.text).not.toBe(before.text);
  const people = { students: [{ email }], product: `course ${holder.course_id}` };
  expect((await academy.call('sync_roster', people)).text).toContain('To enroll: 1 student');
});

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
