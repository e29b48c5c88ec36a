import { expect, test } from 'vitest';
import { holdingLines } from '../../../src/cli/demo/changes.ts';
import { buyerTable } from '../../../src/cli/demo/sales.ts';

const ada = {
  email: 'ada@example.com',
  name: 'Ada',
  orders: 1,
  amount: { USD: '45.00' },
  date: '2026-03-04',
};

test('the columns of buyers are as wide as the longest entry, and names come last', () => {
  const other = { ...ada, email: 'jo@example.com', name: '美咲', amount: { EUR: '5.00', USD: '145.00' } };
  expect(buyerTable([ada, other])).toEqual([
    '2026-03-04             45.00 USD  ada@example.com  Ada',
    '2026-03-04  5.00 EUR, 145.00 USD  jo@example.com   美咲',
  ]);
});

test('further orders and a bundle come after the name', () => {
  expect(buyerTable([{ ...ada, orders: 2, via: 'Creative Year' }])[0]).toMatch(
    / {2}Ada \(2 orders; via Creative Year\)$/,
  );
});

test('products of a student are shown with their source, and with progress if there is any', () => {
  const course = { product: 'course 6', title: 'Watercolour Basics', how: 'bought', since: '2026-03-04T10:00:00Z' };
  expect(
    holdingLines([
      { ...course, via: 'Creative Year', course_completion_percent: 0 },
      { product: 'course 8', title: 'Bread at Home', how: 'enrolled', since: '' },
    ]),
  ).toEqual([
    'course 6 “Watercolour Basics”: bought via Creative Year on 2026-03-04, 0% completed',
    'course 8 “Bread at Home”: enrolled',
  ]);
});
