import { expect, test } from 'vitest';
import { type Academy, at, between, type Row, row, rows, startAcademy, whole, words } from '../support/academy.ts';
import { orderStatuses } from '../support/document.ts';
import { differences } from '../support/shape.ts';
import { orderCourseShape, orderMetaShape, orderShape } from '../support/shapes.ts';

test('orders of every status have the fields and types of an order', async () => {
  const academy = await startAcademy();
  const orders = await list(academy, 'status=all');
  expect(new Set(orders.map(({ status }) => status))).toEqual(new Set(orderStatuses));
  for (const order of orders) {
    expect(differences(order, orderShape)).toEqual([]);
    for (const course of rows(order.courses)) expect(differences(course, orderCourseShape)).toEqual([]);
  }
  expect(new Set(orders.map(({ id }) => id)).size).toBe(orders.length);
});

test('the list without a status has the paid orders', async () => {
  const academy = await startAcademy();
  const orders = await list(academy, '');
  expect(orders.length).toBeGreaterThan(0);
  expect(orders).toEqual(await list(academy, 'status=paid'));
  for (const { status } of orders) expect(status).toBe('paid');
});

test('a status filter returns the orders of that status, and all statuses together every order', async () => {
  const academy = await startAcademy();
  const all = await list(academy, 'status=all');
  for (const status of orderStatuses) {
    const found = await list(academy, `status=${status}`);
    expect(ids(found).sort()).toEqual(ids(all.filter((order) => order.status === status)).sort());
  }
});

test('without page all orders are returned, whatever per_page is', async () => {
  const academy = await startAcademy({ orders: 230 });
  const body = await academy.read('/api/v1/orders?status=all');
  expect(Object.keys(body).sort()).toEqual(['meta', 'orders']);
  expect(rows(body.orders).length).toBeGreaterThan(100);
  expect(row(body.meta).total_orders).toBe(rows(body.orders).length);
  expect(ids(await list(academy, 'status=all&per_page=5'))).toEqual(ids(rows(body.orders)));
});

test('with page the orders are paged, and meta adds up', async () => {
  const academy = await startAcademy({ orders: 230 });
  const all = await list(academy, 'status=all');
  const last = Math.ceil(all.length / 100);
  const seen: unknown[] = [];
  for (let page = 1; page <= last; page += 1) {
    const body = await academy.read(`/api/v1/orders?status=all&page=${page}&per_page=100`);
    expect(differences(row(body.meta), orderMetaShape)).toEqual([]);
    expect(body.meta).toEqual({ total_pages: last, total_orders: all.length, current_page: page, per_page: 100 });
    seen.push(...ids(rows(body.orders)));
  }
  expect(seen).toEqual(ids(all));
});

test('page works without per_page, and a page after the last is empty', async () => {
  const academy = await startAcademy({ orders: 230 });
  const { orders, meta } = await academy.read('/api/v1/orders?status=all&page=1');
  const { per_page, total_orders } = row(meta);
  expect(whole(per_page)).toBeLessThanOrEqual(100);
  expect(rows(orders)).toHaveLength(whole(per_page));
  const beyond = await academy.read('/api/v1/orders?status=all&page=9999');
  expect(beyond).toMatchObject({ orders: [], meta: { total_orders, current_page: 9999 } });
});

test('user_email is an exact match', async () => {
  const academy = await startAcademy();
  const all = await list(academy, 'status=all');
  const email = words(at(all, 0).user_email);
  const found = await list(academy, `status=all&user_email=${encodeURIComponent(email)}`);
  expect(ids(found)).toEqual(ids(all.filter(({ user_email }) => user_email === email)));
  for (const part of [email.slice(1), email.slice(0, -1), `x${email}`]) {
    expect(await list(academy, `status=all&user_email=${encodeURIComponent(part)}`)).toEqual([]);
  }
});

test('orders can be filtered by creation time, as time or as date', async () => {
  const academy = await startAcademy();
  const all = await list(academy, 'status=all');
  const time = between(all.map(({ created_at }) => words(created_at)));
  for (const bound of [time, time.slice(0, 10)]) {
    const later = ({ created_at }: Row) => Date.parse(words(created_at)) >= Date.parse(bound);
    expect(ids(await list(academy, `status=all&created_after=${bound}`))).toEqual(ids(all.filter(later)));
  }
  const earlier = ({ created_at }: Row) => Date.parse(words(created_at)) < Date.parse(time);
  expect(ids(await list(academy, `status=all&created_before=${time}`))).toEqual(ids(all.filter(earlier)));
});

test('the filters of an order list combine', async () => {
  const academy = await startAcademy();
  const all = await list(academy, 'status=all');
  const bound = between(all.map(({ created_at }) => words(created_at)));
  const found = await list(academy, `status=failed&created_before=${bound}&page=1&per_page=100`);
  const wanted = all.filter(({ status, created_at }) => status === 'failed' && words(created_at) < bound);
  expect(ids(found)).toEqual(ids(wanted).slice(0, 100));
});

test('an order is the same alone as in the list', async () => {
  const academy = await startAcademy();
  for (const order of (await list(academy, 'status=all')).slice(0, 30)) {
    expect(await academy.read(`/api/v1/orders/${encodeURIComponent(words(order.id))}`)).toEqual(order);
  }
});

const list = async (academy: Academy, query: string): Promise<Row[]> =>
  rows((await academy.read(`/api/v1/orders?${query}`)).orders);

const ids = (orders: Row[]): string[] => orders.map(({ id }) => words(id));
