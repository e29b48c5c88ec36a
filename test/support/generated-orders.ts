import fc from 'fast-check';
import type { Sandbox } from '../../src/sandbox/index.ts';
import { at } from './academy.ts';
import { orderStatuses } from './document.ts';

/** Orders that the checkout of an academy may create, written by hand. */
const amounts = ['0', '0.00', '0.10', '9.90', '19.90', '49.00', '1234567.89'];
const currencies = ['USD', 'EUR', 'BRL'];
const spellings = [
  (email: string) => email,
  (email: string) => email.toUpperCase(),
  (email: string) => email.charAt(0).toUpperCase() + email.slice(1),
];

/** Both nights of the clock changes in Lisbon in 2026, and times around midnight there. */
const moments = fc.oneof(
  fc.integer({ min: Date.parse('2026-03-27T00:00:00Z'), max: Date.parse('2026-04-01T00:00:00Z') }),
  fc.integer({ min: Date.parse('2026-10-23T00:00:00Z'), max: Date.parse('2026-10-28T00:00:00Z') }),
  fc
    .constantFrom(
      '2026-03-29T00:00:00Z',
      '2026-03-29T22:59:59.999Z',
      '2026-03-29T23:00:00Z',
      '2026-10-24T22:59:59.999Z',
      '2026-10-24T23:00:00Z',
      '2026-10-25T23:59:59.999Z',
      '2026-10-26T00:00:00Z',
    )
    .map((time) => Date.parse(time)),
);

const someOf = (ids: readonly number[]) => fc.subarray([...ids], { maxLength: 2 });

export const generatedOrder = fc.record({
  buyer: fc.nat({ max: 7 }),
  spelling: fc.constantFrom(...spellings),
  amount: fc.constantFrom(...amounts),
  currency: fc.constantFrom(...currencies),
  status: fc.constantFrom(...orderStatuses),
  created_at: moments,
  courses: someOf([1, 2, 3, 13]),
  digital_products: someOf([1, 2]),
  bundles: someOf([1, 6]),
});
export type GeneratedOrder = typeof generatedOrder extends fc.Arbitrary<infer Order> ? Order : never;

/** Adds orders to an academy as if they were placed at their times. */
export function place({ academy }: Sandbox, orders: readonly GeneratedOrder[]): void {
  const students = academy.students.all();
  // The academy requires orders in chronological order.
  for (const { buyer, spelling, ...order } of [...orders].sort((one, other) => one.created_at - other.created_at)) {
    const student = at(students, buyer);
    academy.orders.add({
      ...order,
      student_id: student.id,
      user_email: spelling(student.email),
      description: 'placed by a test',
      affiliate_id: null,
    });
  }
}
