import fc from 'fast-check';
import type { Row } from '../support/academy.ts';
import type { Question } from './both-ways.ts';

const some = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
const flag = some(fc.constant(true));
const statuses = some(fc.subarray(['pending', 'failed', 'paid', 'wallet_executed'], { minLength: 1 }));
const products = fc.subarray(['course 1', 'course 2', 'bundle 1', 'bundle 6', 'digital_product 2'], { minLength: 1 });

const period = fc.oneof(
  fc.constant({}),
  fc.constantFrom('last_month', 'this_month', 'last_30_days', 'this_year').map((name) => ({ period: name })),
  fc.constantFrom('2026-03-28', '2026-03-29', '2026-10-24', '2026-10-25').map((day) => ({ created_after: day })),
  fc.constant({ created_after: '2026-03-29', created_before: '2026-10-25', timezone: 'Europe/Lisbon' }),
  fc.constant({ created_before: '2026-10-25T00:00:00Z' }),
);

/** Arguments without those that are absent. */
const args = (shape: Record<string, fc.Arbitrary<unknown>>) =>
  fc.record(shape).map((given) => Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)));

const common = { include_granted: flag, limit: some(fc.integer({ min: 1, max: 8 })) };

const argumentsOf: Record<string, fc.Arbitrary<Row>> = {
  find_buyers: args({
    ...common,
    products: some(products),
    without: some(products),
    statuses,
    detail: some(fc.constant('full')),
  }),
  sales_report: args({
    include_granted: flag,
    statuses,
    group_by: some(fc.constantFrom('product', 'day', 'week', 'month', 'country')),
    product_type: some(fc.constantFrom('course', 'bundle', 'challenge')),
  }),
  unpaid_orders: args({ limit: common.limit }),
  course_progress: args({ ...common, course_id: fc.constantFrom(1, 2, 3) }),
};

/** Questions over the orders of a period. */
export const overOrders = fc.oneof(
  ...Object.entries(argumentsOf).map(([tool, given]) =>
    fc.tuple(given, period).map(([own, bounds]): Question => [tool, { ...own, ...bounds }]),
  ),
);

/** What people ask the composite tools that the mirror can answer. */
export const questions = fc.array(overOrders, { minLength: 12, maxLength: 20 });
