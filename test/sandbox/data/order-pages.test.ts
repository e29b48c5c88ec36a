import fc from 'fast-check';
import { expect, test } from 'vitest';
import { orderStatuses } from '../../../src/contract/orders.ts';
import { handlers } from '../../../src/sandbox/handlers/index.ts';
import type { OrderRecord } from '../../../src/sandbox/state/orders.ts';
import { makeAcademy, seededUntil } from './make-academy.ts';

const day = 86_400_000;
const list = handlers['orders.listOrders'];

function naive(oldestFirst: readonly OrderRecord[], filter: Parameters<typeof list>[0]): OrderRecord[] {
  const { status, user_email, created_after, created_before } = filter;
  return oldestFirst
    .filter((order) => status === 'all' || order.status === status)
    .filter((order) => user_email === undefined || order.user_email === user_email)
    .filter((order) => created_after === undefined || order.created_at >= Date.parse(created_after))
    .filter((order) => created_before === undefined || order.created_at < Date.parse(created_before))
    .reverse();
}

/** Some bounds are exactly the time of an order, to find off-by-one errors. */
function filtersOver(orders: readonly OrderRecord[]) {
  const milliseconds = fc.oneof(
    fc.integer({ min: seededUntil.getTime() - 740 * day, max: seededUntil.getTime() + day }),
    fc.constantFrom(...orders.map(({ created_at }) => created_at)),
  );
  const time = milliseconds.map((at) => new Date(at).toISOString());
  const email = fc.constantFrom('nobody@example.com', ...orders.map(({ user_email }) => user_email));
  return fc.record({
    status: fc.constantFrom(...orderStatuses, 'all' as const),
    user_email: fc.option(email, { nil: undefined }),
    created_after: fc.option(time, { nil: undefined }),
    created_before: fc.option(time, { nil: undefined }),
  });
}

test('every page is a slice of the whole list, also beyond its end', () => {
  const academy = makeAcademy({ students: 40, orders: 1500 });
  const oldestFirst = academy.orders.all();
  const pages = fc.record({ page: fc.integer({ min: 1, max: 40 }), per_page: fc.integer({ min: 1, max: 100 }) });
  fc.assert(
    fc.property(filtersOver(oldestFirst), pages, (filter, { page, per_page }) => {
      const { orders, meta } = list({ ...filter, page, per_page }, academy);
      const expected = naive(oldestFirst, filter).map(({ id }) => id);
      expect(meta.total_orders).toBe(expected.length);
      expect(orders.map(({ id }) => id)).toEqual(expected.slice((page - 1) * per_page, page * per_page));
    }),
    { numRuns: 400, seed: 2 },
  );
});

test('an order added late is sorted by its own time', () => {
  const academy = makeAcademy({ orders: 50 });
  const middle = academy.orders.all()[20];
  const late = academy.orders.add({ ...(middle as OrderRecord), created_at: (middle?.created_at ?? 0) + 1 });
  const times = academy.orders.all().map(({ created_at }) => created_at);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  const [created_after, created_before] = [0, 1].map((more) => new Date(late.created_at + more).toISOString());
  const found = list({ status: 'all', created_after, created_before }, academy);
  expect(found.orders.map(({ id }) => id)).toEqual([late.id]);
});
