import fc from 'fast-check';
import { expect, test } from 'vitest';
import { coursesInDetails } from '../../../src/insights/students/courses-in-details.ts';
import { holdingsOf } from '../../../src/insights/students/holdings.ts';
import { groupOrders } from '../../../src/insights/students/order-groups.ts';
import { product, sold } from '../../support/sold.ts';

const course = product('course', 1);
const other = product('course', 2);
const bundle = product('bundle', 1, 'Art Year');

test('a product is held since its first settled order, through each that lists it', () => {
  const orders = [
    sold('new', 1, { products: [course] }),
    sold('old', 9, { products: [course, bundle], amount: '0' }),
    sold('failed', 20, { products: [course], status: 'failed' }),
  ];
  const [held, ...more] = holdingsOf(orders, undefined).sort((one, two) => (one.ref < two.ref ? 1 : -1));
  const since = orders[1]?.created_at;
  expect(held).toMatchObject({
    ref: 'course 1',
    how: 'bought',
    via: 'perhaps Art Year',
    since,
    orders: ['old', 'new'],
  });
  expect(more).toMatchObject([{ ref: 'bundle 1', how: 'granted', via: undefined, since, orders: ['old'] }]);
});

test('a course that the API lists without an order is enrolled; one with an order is listed once', () => {
  const enrolled_courses = [{ id: 1, title: 'One' }, { id: 2, title: 'Two' }, { title: 'without an id' }];
  const held = holdingsOf([sold('a', 3, { products: [course] })], coursesInDetails({ enrolled_courses }));
  expect(held.map(({ ref, how, orders }) => [ref, how, orders])).toEqual([
    ['course 1', 'bought', ['a']],
    ['course 2', 'enrolled', []],
  ]);
});

const anyOrder = fc.record({
  age: fc.integer({ min: 1, max: 5 }),
  amount: fc.constantFrom('0', '0.00', '5.00', undefined),
  status: fc.constantFrom('paid', 'wallet_executed', 'pending', 'failed', 'something new', undefined),
  products: fc.subarray([course, other, bundle]),
});

test('each order is in one group, newest first, and the held products are those of settled orders', () => {
  fc.assert(
    fc.property(fc.array(anyOrder, { maxLength: 8 }), (given) => {
      const orders = given.map(({ age, ...order }, index) => sold(`order ${index}`, age, order));
      const parts = groupOrders(orders);
      const { bought, granted, refunds, unpaid, unclear, other } = parts;
      expect(
        Object.values(parts)
          .flat()
          .map(({ id }) => id)
          .sort(),
      ).toEqual(orders.map(({ id }) => id).sort());
      for (const part of Object.values(parts)) {
        const times = part.map(({ at = 0 }) => at);
        expect(times).toEqual([...times].sort((one, two) => two - one));
      }
      expect(granted.every(({ amount }) => Number(amount) === 0)).toBe(true);
      const settled = orders.filter(({ status }) => status === 'paid' || status === 'wallet_executed');
      expect(bought.length + granted.length + refunds.length + unclear.length).toBe(settled.length);
      expect(unpaid.every(({ status }) => status === 'pending' || status === 'failed')).toBe(true);
      expect(other.every(({ status }) => status === undefined || status === 'something new')).toBe(true);
      expect(unclear.every(({ amount }) => amount === undefined)).toBe(true);
      const held = holdingsOf(orders, undefined);
      const listed = new Set(settled.flatMap(({ products }) => products.map(({ ref }) => ref)));
      expect(held.map(({ ref }) => ref).sort()).toEqual([...listed].sort());
      for (const { ref, how, orders: through } of held) {
        const own = settled.filter(({ products }) => products.some((listedHere) => listedHere.ref === ref));
        expect([...through].sort()).toEqual(own.map(({ id }) => id).sort());
        expect(how === 'granted').toBe(own.every(({ amount }) => amount !== undefined && Number(amount) === 0));
      }
    }),
  );
});
