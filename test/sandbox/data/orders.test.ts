import { expect, test } from 'vitest';
import { activities, nextActivity } from '../../../src/sandbox/activities.ts';
import { handlers } from '../../../src/sandbox/handlers/index.ts';
import { texts } from '../../../src/sandbox/seed/texts.ts';
import { makeAcademy, rejection, required } from './make-academy.ts';

const list = handlers['orders.listOrders'];

test('without page the whole list is returned, by default the paid orders', () => {
  const academy = makeAcademy();
  const { orders, meta } = list({ per_page: 5 }, academy);
  const paid = academy.orders.all().filter(({ status }) => status === 'paid').length;
  expect(orders).toHaveLength(paid);
  expect(meta).toEqual({ total_pages: 1, total_orders: paid, current_page: 1, per_page: paid });
  expect(orders.every(({ status }) => status === 'paid')).toBe(true);
});

test('with page there are 25 orders per page by default, newest first', () => {
  const academy = makeAcademy();
  const { orders, meta } = list({ status: 'all', page: 2 }, academy);
  expect(meta).toEqual({ total_pages: 16, total_orders: 400, current_page: 2, per_page: 25 });
  const newest = academy.orders.all().toReversed().slice(25, 50);
  expect(orders.map(({ id }) => id)).toEqual(newest.map(({ id }) => id));
  expect(list({ status: 'all', page: 99, per_page: 100 }, academy)).toMatchObject({
    orders: [],
    meta: { total_pages: 4 },
  });
});

test('created_after is inclusive, created_before is exclusive, and a day is its midnight in UTC', () => {
  const academy = makeAcademy();
  const all = list({ status: 'all' }, academy).orders;
  const bound = required(all[100]).created_at;
  const ids = (orders: { id: string }[]) => orders.map(({ id }) => id);
  expect(ids(list({ status: 'all', created_after: bound }, academy).orders)).toEqual(
    ids(all.filter(({ created_at }) => created_at >= bound)),
  );
  expect(ids(list({ status: 'all', created_before: bound }, academy).orders)).toEqual(
    ids(all.filter(({ created_at }) => created_at < bound)),
  );
  const day = bound.slice(0, 10);
  const since = list({ status: 'all', created_after: day }, academy);
  for (const midnight of [`${day}T00:00:00Z`, `${day}T00:00:00`, `${day}T02:00:00+02:00`]) {
    expect(list({ status: 'all', created_after: midnight }, academy)).toEqual(since);
  }
});

test('an order is the same alone as in the list; an unknown one is 404', () => {
  const academy = makeAcademy();
  const order = required(list({ status: 'failed' }, academy).orders[0]);
  expect(handlers['orders.getOrder']({ order_id: order.id }, academy)).toEqual(order);
  expect(rejection(() => handlers['orders.getOrder']({ order_id: 'nothing' }, academy))).toMatchObject({ status: 404 });
});

test('the name of a buyer is split, and all purchases of a buyer have one address', () => {
  const academy = makeAcademy();
  const orders = list({ status: 'all' }, academy).orders.filter(({ amount }) => Number(amount) > 0);
  const addresses = new Map<string, string>();
  for (const order of orders) {
    expect(`${order.user_first_name} ${order.user_last_name}`).toBe(order.user_name);
    const address = `${order.billing_street}, ${order.billing_zip} ${order.billing_city}, ${order.billing_country}`;
    expect(addresses.get(order.user_email.toLowerCase()) ?? address).toBe(address);
    addresses.set(order.user_email.toLowerCase(), address);
  }
  expect(new Set(addresses.values()).size).toBeGreaterThan(20);
});

const noAddress = {
  billing_city: '',
  billing_state: '',
  billing_country: '',
  billing_street: '',
  billing_zip: '',
  billing_company: null,
  billing_phone: null,
};

test('granted access has no billing address, in the seed and for a new student', () => {
  const academy = makeAcademy();
  const seeded = list({}, academy).orders.filter(({ amount }) => Number(amount) === 0);
  expect(seeded.length).toBeGreaterThan(5);
  for (const order of seeded) expect(order).toMatchObject(noAddress);
  const email = 'ada@example.org';
  handlers['access.enrollStudent']({ email, name: 'Ada', course_id: 1 }, academy);
  expect(list({ user_email: email }, academy).orders).toEqual([expect.objectContaining(noAddress)]);
});

test('the name of a new buyer fits the country of the address', () => {
  const academy = makeAcademy();
  const before = academy.students.size;
  for (let count = 0; count < 300; count += 1) {
    const { name, input } = nextActivity(academy);
    activities[name](input, academy);
  }
  const joined = academy.students.all().slice(before);
  expect(joined.length).toBeGreaterThan(20);
  for (const { email, name } of joined) {
    const { billing_country } = required(list({ status: 'all', user_email: email }, academy).orders[0]);
    const { first, last } = required(texts.countries.find((country) => country.name === billing_country));
    const spelled = (names: readonly string[]) => names.map((entry) => entry.split('~')[0] ?? '');
    expect(spelled(first).some((part) => name.startsWith(`${part} `))).toBe(true);
    expect(spelled(last).some((part) => name.endsWith(` ${part}`))).toBe(true);
  }
});
