import { expect, test } from 'vitest';
import type { OrderFilter } from '../../../src/sandbox/state/orders.ts';
import { makeAcademy, seededUntil } from './make-academy.ts';

const total = 20_000;
const perPage = 100;
const day = 86_400_000;

/** Counts the reads of the fields that filters test. */
function countReads(orders: readonly object[]): () => number {
  let reads = 0;
  for (const order of orders) {
    for (const name of ['created_at', 'status', 'user_email']) {
      const value: unknown = Reflect.get(order, name);
      const get = () => {
        reads += 1;
        return value;
      };
      Object.defineProperty(order, name, { get });
    }
  }
  return () => {
    const since = reads;
    reads = 0;
    return since;
  };
}

/** Two binary searches. */
const bounds = 2 * Math.ceil(Math.log2(total)) + 4;
/** A buyer has at most 200 orders, and a filter may read three fields of each. */
const buyers = 3 * 200;
const lastWeek = seededUntil.getTime() - 7 * day;

const filters: [string, Omit<OrderFilter, 'status' | 'userEmail'> & { ofBuyer?: true }, number][] = [
  ['no filter', {}, 0],
  ['a lower bound', { from: lastWeek }, bounds],
  ['both bounds', { from: lastWeek - 300 * day, before: lastWeek }, bounds],
  ['an email', { ofBuyer: true }, buyers],
  ['an email and bounds', { ofBuyer: true, from: lastWeek - 500 * day, before: lastWeek }, buyers + bounds],
];

test.each(filters)('a page with %s reads few orders', (_name, { ofBuyer, ...period }, budget) => {
  const book = makeAcademy({ students: 500, orders: total }).orders;
  const userEmail = ofBuyer && book.all()[0]?.user_email;
  const reads = countReads(book.all());
  for (const status of ['paid', 'failed', 'all'] as const) {
    for (const page of [1, 2, 50]) {
      reads();
      const { rows } = book.find({ ...period, userEmail, status }, { skip: (page - 1) * perPage, take: perPage });
      expect(reads()).toBeLessThanOrEqual(budget);
      expect(rows.length).toBeLessThanOrEqual(perPage);
    }
  }
});

test('a linear search would exceed the budgets', () => {
  const book = makeAcademy({ students: 500, orders: total }).orders;
  const reads = countReads(book.all());
  expect(book.all().filter(({ status }) => status === 'paid').length).toBeGreaterThan(total / 2);
  expect(reads()).toBe(total);
});
