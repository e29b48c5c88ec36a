import { expect, test } from 'vitest';
import { bestSellers, coursesIn } from '../../../src/cli/demo/sales.ts';

const groups = ['bundle 1', 'course 12', 'digital_product 2', 'course 1', 'none', 'course 3', 'course 4'].map(
  (key) => ({
    key,
    label: `Title of ${key}`,
  }),
);

test('the courses of a report keep its order, without bundles and downloads', () => {
  expect(coursesIn(groups).map(({ id }) => id)).toEqual([12, 1, 3, 4]);
  expect(coursesIn(groups)[0]?.title).toBe('Title of course 12');
});

test('the best sellers are a table that fits into 100 columns, and the others are counted', () => {
  const rows = groups.map((group) => ({ ...group, orders: 20, order_total: { EUR: '93.90', USD: '1932.40' } }));
  expect(bestSellers(rows)).toEqual([
    'orders  in whole orders         product',
    ...rows.slice(0, 5).map(({ label }) => `    20  93.90 EUR, 1932.40 USD  ${label}`),
    '(2 more rows)',
  ]);
  expect(bestSellers(rows.slice(0, 1))).toHaveLength(2);
});
