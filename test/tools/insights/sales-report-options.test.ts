import { expect, test } from 'vitest';
import { at, row, rows } from '../../support/academy.ts';
import { addOrder, daysAgo } from '../../support/arrange.ts';
import { startAcademy } from '../../support/connect.ts';
import { expectRefusal, requestsOf } from '../../support/refusal.ts';

async function startWithSales() {
  const { sandbox, call } = await startAcademy({ orders: 0 });
  const students = sandbox.academy.students.all();
  const [ana, ben] = [at(students, 1), at(students, 2)];
  addOrder(sandbox, ana, { courses: [7], amount: '10.00', created_at: daysAgo(3) });
  addOrder(sandbox, ana, { courses: [7], amount: '5.01', created_at: daysAgo(2) });
  addOrder(sandbox, ben, { courses: [7, 8], amount: '30.00', currency: 'EUR', created_at: daysAgo(4) });
  addOrder(sandbox, ben, { digital_products: [2], amount: '90.00', created_at: daysAgo(4) });
  return { sandbox, call };
}

const group = (groups: unknown, key: string) => rows(groups).find((one) => one.key === key);

test('each product has the sums of whole orders and of itself alone, and the average and buyers by currency', async () => {
  const { call } = await startWithSales();
  const { structured, text } = await call('sales_report');
  expect(group(structured?.groups, 'course 7')).toEqual({
    key: 'course 7',
    label: expect.any(String),
    orders: 3,
    buyers: 2,
    order_total: { EUR: '30.00', USD: '15.01' },
    alone_total: { EUR: '0', USD: '15.01' },
    average: { EUR: '30.00', USD: '7.51' },
    buyers_by_currency: { EUR: 1, USD: 1 },
  });
  expect(structured?.totals).toMatchObject({
    revenue: { EUR: '30.00', USD: '105.01' },
    average: { EUR: '30.00', USD: '35.00' },
    buyers_by_currency: { EUR: 1, USD: 2 },
  });
  expect(text).toContain('alone_total: orders of this product alone');
  expect(text).toContain('USD=7.51');
});

test('product_type without product keeps only products of that type', async () => {
  const { call } = await startWithSales();
  const { structured, text } = await call('sales_report', { product_type: 'digital_product' });
  expect(rows(structured?.groups).map(({ key }) => key)).toEqual(['digital_product 2']);
  expect(structured?.totals).toMatchObject({ orders: 1, revenue: { USD: '90.00' } });
  expect(text).toMatch(/^Sales of type digital_product/);
  expectRefusal(await call('sales_report', { product_type: 'project' }), 'not_found');
});

test('challenges are told from courses', async () => {
  const { sandbox, call } = await startWithSales();
  const challenge = sandbox.academy.catalogue.courses.all().find(({ is_challenge }) => is_challenge);
  const student = at(sandbox.academy.students.all(), 5);
  addOrder(sandbox, student, { courses: [challenge?.id ?? 0], amount: '3.00' });
  const { structured } = await call('sales_report', { product_type: 'challenge' });
  expect(rows(structured?.groups).map(({ key }) => key)).toEqual([`course ${challenge?.id}`]);
});

test('include_unsold adds the products without a sale, and says which are missing', async () => {
  const { sandbox, call } = await startWithSales();
  const { structured } = await call('sales_report', { product_type: 'bundle', include_unsold: true });
  const ids = sandbox.academy.catalogue.bundles.all().map(({ id }) => `bundle ${id}`);
  expect(
    rows(structured?.groups)
      .map(({ key }) => key)
      .sort(),
  ).toEqual(ids.sort());
  expect(rows(structured?.groups).every(({ orders }) => orders === 0)).toBe(true);
  expect(structured?.note).toContain('unpublished courses');
  const wrong = await call('sales_report', { include_unsold: true, group_by: 'day' });
  expectRefusal(wrong, 'invalid_input');
  expect(requestsOf(wrong)).toBe(0);
});

test('sort puts the largest first', async () => {
  const { call } = await startWithSales();
  const keys = async (sort: string) =>
    rows((await call('sales_report', { sort })).structured?.groups).map(({ key }) => key);
  expect(await keys('revenue')).toEqual(['digital_product 2', 'course 7', 'course 8']);
  expect(await keys('orders')).toEqual(['course 7', 'course 8', 'digital_product 2']);
  expect(await keys('key')).toEqual(['course 7', 'course 8', 'digital_product 2']);
});

test('a continued report says that it replaces the one before', async () => {
  const { call } = await startAcademy({ orders: 900, students: 150 });
  const first = await call('sales_report', { max_requests: 3 });
  expect(first.structured?.note ?? '').not.toContain('replaces');
  const second = await call('sales_report', { max_requests: 3, cursor: first.structured?.next_cursor });
  expect(second.structured?.note).toContain('this answer replaces the one before');
  expect(second.text).toContain('this answer replaces the one before');
});

test('a group that the period cuts is marked as partial', async () => {
  const { call } = await startWithSales();
  const { structured } = await call('sales_report', { period: 'last_7_days', group_by: 'day' });
  const groups = rows(structured?.groups);
  expect(groups.map(({ partial = false }) => partial)).toEqual([...Array(6).fill(false), true]);
  expect(row(structured?.period).running).toBe(true);
});
