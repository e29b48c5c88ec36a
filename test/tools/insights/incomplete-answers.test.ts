import { expect, test } from 'vitest';
import { row } from '../../support/academy.ts';
import { addOrder, addPost, newcomer } from '../../support/arrange.ts';
import { type Connection, startAcademy } from '../../support/connect.ts';
import { startGuarded } from '../../support/guarded.ts';

// The counts of an incomplete answer look like a result unless its first words say what is missing.

const calls: [tool: string, args: object][] = [
  ['sales_report', { max_requests: 3 }],
  ['sales_report', { group_by: 'month', max_requests: 3 }],
  ['find_buyers', { max_requests: 3 }],
  ['find_buyers', { product: '7', product_type: 'course', totals_only: true, max_requests: 3 }],
  [
    'find_buyers',
    { products: ['7'], product_type: 'course', without: ['1'], period: 'last_30_days', max_requests: 10 },
  ],
  ['unpaid_orders', { max_requests: 3 }],
  ['course_progress', { course_id: 7, max_requests: 3 }],
  ['course_progress', { course_id: 7, max_requests: 15 }],
  ['community_digest', { max_requests: 3 }],
  ['search_posts', { max_requests: 3 }],
  ['list_students', { sort: 'points', max_requests: 2 }],
];

test.for(calls)('%s %j says first that it is incomplete and why, in both forms', async ([tool, args]) => {
  const { call } = await startAcademy({ orders: 900, students: 150 });
  const { text, structured = {} } = await call(tool, args as Record<string, unknown>);
  expect(text).toMatch(/^Incomplete \(.*max_requests is used up: /);
  const [first] = Object.keys(structured).filter((name) => name !== 'cut');
  expect(first).toBe('coverage');
  const { complete, next, stopped } = row(structured.coverage);
  expect(complete).toBe(false);
  expect(String(next ?? stopped)).toContain('max_requests is used up');
  expect(structured).not.toHaveProperty('total');
  const { counts_are = row(structured.totals ?? {}).counts_are } = structured;
  expect(['at least', 'at most', 'so far']).toContain(counts_are);
  expect(text.split('\n')[0]).toContain(`${counts_are} `);
});

test('an incomplete list of the largest buyers says that their order can change', async () => {
  const { call } = await startAcademy({ orders: 900, students: 150 });
  const change = 'orders that are not read yet can change who comes first';
  for (const sort of ['products', 'amount']) {
    const part = await call('find_buyers', { sort, limit: 3, max_requests: 3 });
    expect(part.text).toContain(change);
    expect((await call('find_buyers', { sort, limit: 3 })).text).not.toContain(change);
  }
});

test('an answer that the rate limit ended says how long to wait', async () => {
  const { call } = await startAcademy({ orders: 2_000, students: 150 }, { ACADEMY_RATE_LIMIT: '14' });
  const { text, structured = {} } = await call('sales_report');
  const wait = 'the rate limit is used up: wait 60 s, then go on with next_cursor';
  expect(text).toMatch(/^Incomplete \(\d+ of \d+ or more pages of orders read; /);
  expect(text).toContain(`; ${wait}): `);
  expect(row(structured.coverage).next).toBe(wait);
});

interface ProgressUpdate {
  progress: number;
  total?: number | undefined;
  message?: string | undefined;
}

async function updatesOf({ client }: Pick<Connection, 'client'>, name: string, args: Record<string, unknown>) {
  const updates: ProgressUpdate[] = [];
  const onprogress = (update: ProgressUpdate) => void updates.push(update);
  const result = await client.callTool({ name, arguments: args }, undefined, { onprogress });
  expect(result.isError, JSON.stringify(result.content)).toBeUndefined();
  return updates;
}

/** Each word of it stands above the one before, and no step is counted in fractions. */
function expectRising(updates: readonly ProgressUpdate[]): void {
  expect(updates.length).toBeGreaterThan(1);
  for (const [index, { progress, total, message }] of updates.entries()) {
    expect(progress, message).toBeGreaterThan(updates[index - 1]?.progress ?? -1);
    expect(Number.isInteger(progress), `${message}: ${progress}`).toBe(true);
    if (total !== undefined) expect(progress, message).toBeLessThanOrEqual(total);
  }
}

const last = (updates: readonly ProgressUpdate[]) => updates.at(-1);

test('course_progress counts pages of orders and then students on top of them', async () => {
  const academy = await startAcademy({ students: 60, orders: 900 });
  const updates = await updatesOf(academy, 'course_progress', { course_id: 7, max_requests: 200 });
  expectRising(updates);
  const [, pages = ''] =
    /^read (\d+) of \1 pages/.exec(updates.findLast(({ message }) => /pages/.test(String(message)))?.message ?? '') ??
    [];
  const students = updates.filter(({ message }) => /students$/.test(String(message)));
  const [, done = '', all = ''] = /of (\d+) of (\d+) students$/.exec(students[0]?.message ?? '') ?? [];
  expect(students[0]).toMatchObject({ progress: Number(pages) + Number(done), total: Number(pages) + Number(all) });
  expect(last(updates)?.progress).toBe(last(updates)?.total);
});

test('student_profile counts pages of orders and then courses', async () => {
  const academy = await startAcademy();
  const student = newcomer(academy.sandbox);
  for (let index = 0; index < 230; index += 1) addOrder(academy.sandbox, student, { courses: [1 + (index % 9)] });
  const updates = await updatesOf(academy, 'student_profile', { email: student.email });
  expectRising(updates);
  expect(updates.map(({ message }) => message)).toContain('read the progress in 9 of 9 courses');
  expect(last(updates)?.progress).toBe(last(updates)?.total);
});

test('diagnose_access reports each step', async () => {
  const academy = await startAcademy();
  const { email } = newcomer(academy.sandbox);
  const updates = await updatesOf(academy, 'diagnose_access', { email, product: '7', product_type: 'course' });
  expectRising(updates);
});

test('community_digest counts channels and then topics', async () => {
  const academy = await startAcademy();
  for (let topic = 801; topic < 811; topic += 1) addPost(academy.sandbox, 3, { topic, daysAgo: 1 });
  const updates = await updatesOf(academy, 'community_digest', { max_requests: 100 });
  expectRising(updates);
  expect(last(updates)?.message).toMatch(/^checked (\d+) of \1 topics$/);
  expect(last(updates)?.progress).toBe(last(updates)?.total);
});

test('a notification of a wait reports no step that was not done', async () => {
  const { between, ...academy } = await startGuarded();
  const busy = { status: 429, headers: { 'retry-after': '3' }, body: '{}' };
  between.arm({ name: 'busy', fault: { at: 'body', act: ({ answer }) => answer(busy) }, match: () => true });
  const updates = await updatesOf(academy, 'sales_report', {});
  expect(updates[0]).toMatchObject({ progress: 0, message: expect.stringMatching(/^waiting for the request limit/) });
  expect(updates.at(-1)?.progress).toBe(updates.at(-1)?.total);
});
