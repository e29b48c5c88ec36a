import fc from 'fast-check';
import { expect, test } from 'vitest';
import { orderStatuses } from '../../../src/contract/orders.ts';
import type { OrderFilter, OrderRecord } from '../../../src/sandbox/state/orders.ts';
import { makeAcademy, seededUntil } from './make-academy.ts';

const day = 86_400_000;
function naive(oldestFirst: readonly OrderRecord[], { status, userEmail, from, before }: OrderFilter): OrderRecord[] {
  return oldestFirst
    .filter((order) => status === 'all' || order.status === status)
    .filter((order) => userEmail === undefined || order.user_email === userEmail)
    .filter((order) => from === undefined || order.created_at >= from)
    .filter((order) => before === undefined || order.created_at < before)
    .reverse();
}

/** Some bounds are exactly the time of an order, to find off-by-one errors. */
function filtersOver(orders: readonly OrderRecord[]) {
  const time = fc.oneof(
    fc.integer({ min: seededUntil.getTime() - 740 * day, max: seededUntil.getTime() + day }),
    fc.constantFrom(...orders.map(({ created_at }) => created_at)),
  );
  const email = fc.constantFrom('nobody@example.com', ...orders.map(({ user_email }) => user_email));
  return fc.record({
    status: fc.constantFrom(...orderStatuses, 'all' as const),
    userEmail: fc.option(email, { nil: undefined }),
    from: fc.option(time, { nil: undefined }),
    before: fc.option(time, { nil: undefined }),
  });
}

test('every page is a slice of the whole list, also beyond its end', () => {
  const book = makeAcademy({ students: 40, orders: 1500 }).orders;
  const oldestFirst = book.all();
  const windows = fc.record({ skip: fc.nat(1600), take: fc.integer({ min: 1, max: 100 }) });
  fc.assert(
    fc.property(filtersOver(oldestFirst), windows, (filter, window) => {
      const { rows, total } = book.find(filter, window);
      const expected = naive(oldestFirst, filter);
      expect(total).toBe(expected.length);
      expect(rows.map(({ id }) => id)).toEqual(
        expected.slice(window.skip, window.skip + window.take).map(({ id }) => id),
      );
    }),
    { numRuns: 400, seed: 2 },
  );
});

test('an order added late is sorted by its own time', () => {
  const { orders } = makeAcademy({ orders: 50 });
  const middle = orders.all()[20];
  const late = orders.add({ ...(middle as OrderRecord), created_at: (middle?.created_at ?? 0) + 1 });
  expect(orders.all().map(({ created_at }) => created_at)).toEqual(
    orders
      .all()
      .map(({ created_at }) => created_at)
      .sort((a, b) => a - b),
  );
  expect(orders.find({ status: 'all', from: late.created_at, before: late.created_at + 1 }).rows).toEqual([late]);
});
