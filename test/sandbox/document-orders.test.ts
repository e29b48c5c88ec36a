import { expect, test } from 'vitest';
import { type Academy, between, type Row, row, rows, startAcademy, whole, words } from '../support/academy.ts';
import { orderStatuses } from '../support/document.ts';
import { differences } from '../support/shape.ts';
import { orderCourseShape, orderShape } from '../support/shapes.ts';

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

test('without page all orders are returned, whatever per_page is', async () => {
  const academy = await startAcademy({ orders: 230 });
  const body = await academy.read('/api/v1/orders?status=all');
  expect(Object.keys(body).sort()).toEqual(['meta', 'orders']);
  expect(rows(body.orders).length).toBeGreaterThan(100);
  expect(row(body.meta).total_orders).toBe(rows(body.orders).length);
  expect(ids(await list(academy, 'status=all&per_page=5'))).toEqual(ids(rows(body.orders)));
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
