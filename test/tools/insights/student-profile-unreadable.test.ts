import { expect, test } from 'vitest';
import { type Row, row } from '../../support/academy.ts';
import { connect } from '../../support/connect.ts';
import { orderNumber, startPaging } from '../../support/paging-server.ts';

async function buyersAmong(records: Row[], total = records.length) {
  const { url } = await startPaging((page) => ({
    records: page === 1 ? records : [],
    meta: { total_pages: 1, total_orders: total, per_page: 100, current_page: page },
  }));
  const { call } = await connect({ ACADEMY_BASE_URL: url, ACADEMY_RATE_LIMIT: 'off' });
  const { structured, text } = await call('find_buyers', { product: '7', product_type: 'course' });
  const [first = ''] = text.split('\n', 1);
  return { totals: row(structured?.totals), coverage: row(structured?.coverage), first };
}

test('unreadable values of an order are counted, and the order is neither bought nor granted', async () => {
  const odd = [
    { ...orderNumber(2), amount: '49,90' },
    { ...orderNumber(3), amount: null },
    { ...orderNumber(4), courses: ['Seven'] },
  ];
  const { totals, coverage, first } = await buyersAmong([orderNumber(1), ...odd]);
  expect(totals).toMatchObject({
    orders: 1,
    granted_excluded: 0,
    unreadable_amounts: 2,
    order_total: { USD: '10.00' },
  });
  expect(coverage).toMatchObject({ complete: false, unreadable: { amounts: 2, products: 1 } });
  expect(first).toMatch(/^Incomplete \(the products of 1 order and 2 amounts could not be read\)/);
});

test('an amount below 0 is a refund and no purchase', async () => {
  const { totals, coverage, first } = await buyersAmong([orderNumber(1), { ...orderNumber(2), amount: '-10.00' }]);
  expect(totals).toMatchObject({ orders: 1, refunds: 1, order_total: { USD: '10.00' } });
  expect(coverage).toMatchObject({ complete: true });
  expect(first).toContain('1 with an amount below 0 (refunds) left out');
});

test('fewer distinct orders than the API counts make the answer incomplete, and it names both numbers', async () => {
  const { coverage, first } = await buyersAmong([orderNumber(1), orderNumber(2)], 5);
  expect(coverage).toMatchObject({ complete: false });
  expect(first).toMatch(/^Incomplete \(the API counts 5 orders and its pages showed 2\)/);
});
