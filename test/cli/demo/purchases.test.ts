import { expect, test } from 'vitest';
import type { OrderRow } from '../../../src/cli/demo/orders.ts';
import {
  buyersOf,
  chooseCourse,
  ordersOfCourse,
  purchaseSummary,
  purchaseTable,
} from '../../../src/cli/demo/purchases.ts';

const bread = { id: 8, title: 'Bread at Home' };
const colour = { id: 6, title: 'Watercolour Basics' };

function order(fields: Partial<OrderRow> = {}): OrderRow {
  const who = { id: 'o1', created_at: '2026-03-04T10:00:00.000Z', email: 'ada@example.com', name: 'Ada' };
  return { ...who, amount: '45.00', currency: 'USD', granted: false, bought: { 'course 6': colour.title }, ...fields };
}

const grant = order({ id: 'o2', amount: '0', granted: true });

test('granted access is counted apart from purchases', () => {
  const { purchases, granted } = ordersOfCourse([order(), grant], colour);
  expect(purchases).toEqual([order()]);
  expect(granted).toBe(1);
});

test('a course is not taken for another whose id begins alike, nor for a bundle of its id', () => {
  const others = [order({ bought: { 'course 66': 'x' } }), order({ bought: { 'bundle 6': 'x' } })];
  expect(ordersOfCourse(others, colour)).toEqual({ purchases: [], granted: 0 });
});

test('the course is the best seller, rather one that was also given away', () => {
  const sold = [order({ bought: { 'course 8': bread.title } }), order({ bought: { 'course 8': bread.title } })];
  expect(chooseCourse([colour, bread], [order(), ...sold])).toBe(bread);
  expect(chooseCourse([colour, bread], [order(), grant, ...sold])).toBe(colour);
  expect(() => chooseCourse([colour, bread], [grant])).toThrow('no published course was sold');
});

test('a buyer who types the email in another case is the same one', () => {
  const purchases = [order(), order({ id: 'o3', email: 'Ada@Example.com' })];
  expect(buyersOf(purchases)).toEqual(['ada@example.com']);
  expect(purchaseSummary(purchases, 0).join('\n')).toContain('2 purchases by 1 buyer ');
});

test('an order that holds more is starred, and the star is explained', () => {
  const bundle = order({ bought: { 'course 6': colour.title, 'bundle 3': 'Creative Year' } });
  expect(purchaseTable([order(), bundle])).toEqual([
    '2026-03-04  45.00 USD    ada@example.com  Ada',
    '2026-03-04  45.00 USD *  ada@example.com  Ada',
  ]);
  expect(purchaseSummary([bundle], 0)[0]).toMatch(/^\* in one order with other products/);
  expect(purchaseSummary([order()], 0).join()).not.toContain('*');
});
