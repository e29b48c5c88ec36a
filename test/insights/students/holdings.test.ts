import fc from 'fast-check';
import { expect, test } from 'vitest';
import { joinOrders, ordersOfBuyer } from '../../../src/api/student-orders.ts';
import { doubtOf } from '../../../src/insights/enrollment/plan.ts';
import { type ApiOrder, soldOrder } from '../../../src/insights/sales/sold-order.ts';
import { coursesInDetails } from '../../../src/insights/students/courses-in-details.ts';
import { diagnose } from '../../../src/insights/students/diagnosis.ts';
import { type HoldingEvidence, holdingsOf, whoHolds } from '../../../src/insights/students/holdings.ts';
import { now, product, sold } from '../../support/sold.ts';

const course = product('course', 7, 'Ink');
const other = product('course', 8, 'Clay');
const bundle = product('bundle', 2, 'Art Year');
const nothing: HoldingEvidence = { orders: [] };
const shown = (enrolled_courses: unknown) => coursesInDetails({ enrolled_courses });
/** With one order. */
const of = (order: Parameters<typeof sold>[2], more = {}) => ({ orders: [sold('a', 1, order)], ...more });

const cases: [what: string, held: boolean | undefined, evidence: Partial<HoldingEvidence>][] = [
  ['nothing is ordered', false, {}],
  ['a settled order lists it', true, of({ products: [course] })],
  ['an order of an amount that could not be read lists it', true, of({ products: [course], amount: undefined })],
  ['a failed order lists it', false, of({ products: [course], status: 'failed' })],
  ['an order of an unknown status lists it', undefined, of({ products: [course], status: 'refunded' })],
  ['an order without a status lists it', undefined, of({ products: [course], status: undefined })],
  ['an order of an unknown status lists another', false, of({ products: [other], status: 'refunded' })],
  ['products of a settled order could not be read', undefined, of({ unread: ['course'] })],
  ['products of another kind could not be read', false, of({ unread: ['bundle'] })],
  ['orders may be missing', undefined, { missing: 'page 2 was refused' }],
  ['it is listed where orders may be missing', true, { missing: 'x', orders: [sold('a', 1, { products: [course] })] }],
  ['an order lists its title with another id', undefined, of({ products: [product('course', 9001, 'Ink')] })],
  ['an order lists its id with another title', undefined, of({ products: [product('course', 7, 'Clay')] })],
  ['an order lists a bundle alone', undefined, of({ products: [bundle] })],
  ['an order lists a bundle and what is in it', false, of({ products: [bundle, other] })],
  [
    'an order lists a bundle, and the details all courses',
    false,
    { orders: [sold('a', 1, { products: [bundle] })], shown: shown([{ id: 8, title: 'Clay' }]) },
  ],
  ['the details list it under courses', true, { shown: coursesInDetails({ courses: [{ id: 7 }] }) }],
  ['the details list courses under another key', undefined, { shown: coursesInDetails({ enrolments: [{ id: 7 }] }) }],
  ['the details alone list it', true, { shown: shown([{ id: 7, title: 'Ink' }]) }],
  [
    'the details alone list it in a row of its own id',
    true,
    { shown: shown([{ id: 90, course_id: 7, title: 'Ink' }]) },
  ],
  ['the details name it by its title alone', undefined, { shown: shown(['Ink']) }],
  ['the details name others by their titles', undefined, { shown: shown(['Clay']) }],
  ['the details list it under another id', undefined, { shown: shown([{ id: 90, title: 'Ink' }]) }],
];

test.for(cases)('if %s, held is %s', ([, held, evidence]) => {
  const state = held === undefined ? 'perhaps' : held ? 'holds' : 'not';
  expect(whoHolds(course, { ...nothing, ...evidence }).state).toBe(state);
});

test('at most two reasons are named why it is unknown whether a product is held', () => {
  const orders = ['a', 'b', 'c'].map((id) => sold(id, 1, { unread: ['course' as const] }));
  const student = { ...nothing, orders, isStudent: true, name: undefined, unread: undefined };
  expect(doubtOf([whoHolds(course, student)], student)).toBe(
    'the products of order a could not be read; the products of order b could not be read',
  );
});

test('orders of other students are discarded and counted, and orders without an email are returned apart', () => {
  const emails = ['Ana@Example.com', 'banana@example.com', ' ', undefined];
  const orders = emails.map((user_email) => soldOrder({ user_email }));
  const { own, discarded, nameless } = ordersOfBuyer(orders, ['ana@example.com']);
  expect([own, discarded, nameless]).toEqual([[orders[0]], 1, 2]);
});

const paid = (id: string) => ({ id, status: 'paid' });

test.for<[what: string, listed: ApiOrder[], shown: ApiOrder[], ids: string[], isMissing: boolean]>([
  ['the same order, shown slim', [paid('a')], [{ id: 'a' }], ['a'], false],
  ['orders under ids of another kind', [paid('a'), paid('b')], [{ id: '1' }, { id: '2' }], ['a', 'b'], false],
  ['one more order under ids of another kind', [paid('a')], [{ id: '1' }, { id: '2' }], ['a'], true],
  ['one more order under ids of the same kind', [paid('a')], [{ id: 'a' }, { id: 'b' }], ['a', 'b'], false],
  ['orders that the list does not have', [], [paid('a')], ['a'], false],
])('of %s, each order is listed once', ([, listed, shownOrders, ids, isMissing]) => {
  const own = listed.map(soldOrder);
  const { orders, problem } = joinOrders(own, shownOrders.map(soldOrder));
  expect([orders.map(({ id }) => id), problem !== undefined]).toEqual([ids, isMissing]);
  if (listed.length > 0) expect(orders[0]).toBe(own[0]);
});

// The profile, a diagnosis and an enrollment answer "who holds it" from the same orders and details.

const anyOrder = fc.record({
  age: fc.integer({ min: 1, max: 5 }),
  amount: fc.constantFrom('0', '5.00', '-5.00'),
  status: fc.constantFrom('paid', 'wallet_executed', 'pending', 'failed'),
  products: fc.subarray([course, other, bundle], { minLength: 1 }),
});

const anyDetails = fc.option(
  fc.subarray([
    { id: 7, title: 'Ink' },
    { id: 8, title: 'Clay' },
  ]),
  { nil: undefined },
);

test('profile, diagnosis and enrollment never contradict each other on who holds a course', () => {
  fc.assert(
    fc.property(fc.array(anyOrder, { maxLength: 6 }), anyDetails, (given, enrolled_courses) => {
      const orders = given.map(({ age, ...order }, index) => sold(`order ${index}`, age, order));
      const shown = coursesInDetails(enrolled_courses === undefined ? {} : { enrolled_courses });
      const { state, doubts, carriers } = whoHolds(course, { orders, shown });
      const held = state === 'perhaps' ? undefined : state === 'holds';
      const holding = holdingsOf({ orders, shown }).find(({ ref }) => ref === course.ref);
      const isSure = holding !== undefined && holding.doubt === undefined;
      const diagnosis = diagnose({
        orders,
        product: course,
        student: { shown },
        others: [],
        descriptions: new Map(),
        completion: 0,
        isPublished: true,
        daysOfAccess: undefined,
        now,
        against: [],
        recent: [],
      });
      const text = JSON.stringify({ held, holding, diagnosis });
      // What the profile shows without a doubt, an enrollment sends nothing for, and a diagnosis finds it held.
      if (isSure) expect([held, diagnosis.holds], text).toEqual([true, true]);
      // What an enrollment is sent for, the profile does not show, and a diagnosis does not find held.
      if (held === false) expect([holding, diagnosis.holds], text).toEqual([undefined, false]);
      if (held === false) expect([doubts, shown === undefined ? carriers : []], text).toEqual([[], []]);
      // A diagnosis that finds it held contradicts neither.
      if (diagnosis.holds) expect(held, text).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});
