import { expect, onTestFinished, test } from 'vitest';
import { startSandbox } from '../../../src/sandbox/index.ts';
import { at, type Row, row, rows } from '../../support/academy.ts';
import { addOrder } from '../../support/arrange.ts';
import { connect, startAcademy } from '../../support/connect.ts';
import { expectRefusal, requestsOf } from '../../support/refusal.ts';
import { counted, rawOrders } from '../../support/sales.ts';

const dayMs = 86_400_000;

test('too many days, weeks or months are refused before anything is sent', async () => {
  const { call } = await startAcademy();
  for (const group_by of ['day', 'week', 'month']) {
    const answer = await call('sales_report', { created_after: '0001-01-01', group_by });
    expect(expectRefusal(answer, 'invalid_input')).toContain('at most 4000');
    expect(requestsOf(answer)).toBe(0);
  }
  const years = await call('sales_report', { created_after: '1990-01-01', group_by: 'month' });
  expect(years.isError, years.text).toBe(false);
  expect((await call('sales_report', { created_after: '0001-01-01', group_by: 'product' })).isError).toBe(false);
});

test('all time begins with the first order, and is refused by day if that is too long ago', async () => {
  const { sandbox, call } = await startAcademy({ orders: 0 });
  const student = at(sandbox.academy.students.all(), 3);
  addOrder(sandbox, student, { courses: [7], created_at: Date.now() - 5_000 * dayMs });
  expect(expectRefusal(await call('sales_report', { group_by: 'day' }), 'invalid_input')).toContain('at most 4000');
  expect((await call('sales_report', { group_by: 'week' })).isError).toBe(false);
});

test('the cursor returns each further group once, and reads nothing again', async () => {
  const { sandbox, call } = await startAcademy({ orders: 900, students: 150 });
  const { kept } = counted(await rawOrders(sandbox), { to: Date.now() });
  const keys: unknown[] = [];
  let count = 0;
  let next: Row = {};
  for (let part = 0; ; part += 1) {
    const answer = await call('sales_report', { group_by: 'day', ...next });
    expect(requestsOf(answer)).toBe(part === 0 ? requestsOf(answer) : 0);
    expect(answer.structured?.totals).toMatchObject({ orders: kept.length });
    const groups = rows(answer.structured?.groups);
    keys.push(...groups.map(({ key }) => key));
    count += groups.reduce((sum, { orders }) => sum + Number(orders), 0);
    const cursor = answer.structured?.next_cursor;
    if (cursor === undefined) break;
    expect(answer.text).toContain('go on with next_cursor');
    next = { cursor };
  }
  const first = Date.parse(`${kept.at(-1)?.created_at.slice(0, 10)}T00:00:00Z`);
  const days = Math.floor(Date.now() / dayMs) - first / dayMs + 1;
  expect(days).toBeGreaterThan(600);
  expect(keys).toEqual(
    Array.from({ length: days }, (_, index) => new Date(first + index * dayMs).toISOString().slice(0, 10)),
  );
  expect(count).toBe(kept.length);
});

test('a cursor keeps to its grouping', async () => {
  const { call } = await startAcademy({ orders: 900, students: 150 });
  const cursor = (await call('sales_report', { group_by: 'day' })).structured?.next_cursor;
  expectRefusal(await call('sales_report', { group_by: 'week', cursor }), 'invalid_input');
});

test('a day that a zone skipped is not listed', async () => {
  const { call } = await startAcademy();
  const bounds = { created_after: '2011-12-29', created_before: '2012-01-01', timezone: 'Pacific/Apia' };
  const { structured } = await call('sales_report', { ...bounds, group_by: 'day' });
  expect(rows(structured?.groups).map(({ key }) => key)).toEqual(['2011-12-29', '2011-12-31']);
});

/** Two students: one with a purchase and a gift of course 7, one with a gift alone, however its amount is written. */
async function startWithGifts() {
  const sandbox = await startSandbox({ students: 8, orders: 0, rateLimit: 'off' });
  onTestFinished(() => sandbox.close());
  const { call } = await connect({ ACADEMY_BASE_URL: sandbox.url, ACADEMY_RATE_LIMIT: 'off' });
  const [one, other] = sandbox.academy.students.all();
  if (one === undefined || other === undefined) throw new Error('two students are needed');
  addOrder(sandbox, one, { courses: [7], amount: '20.00', created_at: Date.now() - 3 * dayMs });
  addOrder(sandbox, one, { courses: [7], amount: '+0', created_at: Date.now() - 2 * dayMs });
  addOrder(sandbox, other, { courses: [7], amount: ' 0.00 ', created_at: Date.now() - dayMs });
  return { call, gifted: other.email };
}

test('orders of amount 0 are shown separately from purchases in totals, groups, rows and text', async () => {
  const { call, gifted } = await startWithGifts();
  const asked = { product: '7', product_type: 'course', include_granted: true };
  const sales = await call('sales_report', asked);
  expect(sales.structured?.totals).toMatchObject({ orders: 3, buyers: 1, holders: 2, granted: 2, granted_excluded: 0 });
  expect(sales.structured?.groups).toMatchObject([{ key: 'course 7', orders: 3, granted: 2 }]);
  expect(sales.text).toContain('3 orders (2 of amount 0: granted, free or a coupon), 20.00 USD');

  const found = await call('find_buyers', asked);
  expect(found.structured?.totals).toMatchObject({ orders: 3, granted: 2 });
  expect(found.structured?.buyers).toMatchObject([
    { email: gifted, granted: 1 },
    { orders: 2, granted: 1 },
  ]);
  expect(found.text).toMatch(new RegExp(`^${gifted}.*1 of amount 0`, 'm'));

  const progress = await call('course_progress', { course_id: 7, include_granted: true, stuck_after_days: 0 });
  expect(progress.structured?.totals).toMatchObject({ holders: 2, buyers: 1, granted: 2 });
  expect(rows(progress.structured?.stuck).map(({ granted }) => granted)).toEqual([1, 1]);
  expect(progress.text).toContain('2 holders (2 orders of amount 0)');
});

test('orders of amount 0 that are left out are counted separately, in any spelling of zero', async () => {
  const { call } = await startWithGifts();
  const { structured } = await call('find_buyers', { product: '7', product_type: 'course' });
  expect(structured?.totals).toEqual({
    buyers: 1,
    orders: 1,
    granted_excluded: 2,
    order_total: { USD: '20.00' },
    alone_total: { USD: '20.00' },
  });
  expect(Object.keys(row(rows(structured?.buyers)[0]))).not.toContain('granted');
});
