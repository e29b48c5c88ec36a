import { expect, test } from 'vitest';
import { type Academy, at, type Row, row, rows, startAcademy, the, whole, words } from '../support/academy.ts';
import { eventNames, orderStatuses } from '../support/document.ts';
import { type Recorder, startRecorder } from '../support/recorder.ts';
import { differences, eventShapes, orderCourseShape, orderShape } from '../support/shapes.ts';

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
  const before = (order: Row) => {
    const { status, user_email, created_at } = order;
    const isOfBuyer = (one: Row) => one.status === status && one.user_email === user_email;
    return all.filter((one) => isOfBuyer(one) && words(one.created_at) < words(created_at));
  };
  const order = the(all, 'buyer of two', (one) => one.status !== 'paid' && before(one).length > 0);
  const { status, user_email, created_at } = order;
  const query = { status, user_email, created_before: created_at } as Record<string, string>;
  expect(ids(await list(academy, `${new URLSearchParams(query)}`))).toEqual(ids(before(order)));
});

test('an order is the same alone as in the list', async () => {
  const academy = await startAcademy();
  for (const order of (await list(academy, 'status=all')).slice(0, 30)) {
    expect(await academy.read(`/api/v1/orders/${encodeURIComponent(words(order.id))}`)).toEqual(order);
  }
});

const list = async (academy: Academy, query: string): Promise<Row[]> => await academy.list(`/api/v1/orders?${query}`);

const ids = (orders: Row[]): string[] => orders.map(({ id }) => words(id));

test('a granted course sends new_order with the order as the API returns it', async () => {
  const { academy, hook } = await subscribed('new_order');
  const course_id = at(await academy.list('/api/v1/courses'), 0).id;
  await academy.write('POST', '/api/v1/student/enroll', { email: 'ada@example.org', name: 'Ada', course_id });
  const payload = await delivered(hook);
  expect(differences(payload, eventShapes.new_order)).toEqual([]);
  expect(payload).toEqual(await academy.read(`/api/v1/orders/${payload.id}`));
});

test.each(eventNames)('simulated activity sends %s with exactly its fields', async (event) => {
  const { academy, hook } = await subscribed(event, 6000);
  const payload = await delivered(hook);
  expect(differences(payload, eventShapes[event])).toEqual([]);
  if (event === 'new_order') return;
  const student = await academy.read(`/api/v1/students/details?email=${encodeURIComponent(words(payload.email))}`);
  expect(JSON.stringify(student)).toContain(`"id":${payload.id}`);
});

test('course_completed names a course that its student completed to 100 percent', async () => {
  const { academy, hook } = await subscribed('course_completed', 6000);
  const { email, course, course_id } = await delivered(hook);
  expect((await academy.read(`/api/v1/courses/${course_id}`)).title).toBe(course);
  const path = `/api/v1/courses/${course_id}/completion-percentage`;
  const { body } = await academy.write('POST', path, { user_email: email });
  expect(body).toMatchObject({ email, course_completion_percent: 100 });
});

async function subscribed(
  event: (typeof eventNames)[number],
  activity = 0,
): Promise<{ academy: Academy; hook: Recorder }> {
  const hook = await startRecorder({});
  return { hook, academy: await startAcademy({ webhooks: [{ event, url: hook.url }], activity }) };
}

/** The payload of the first delivery. */
async function delivered({ requests }: Recorder): Promise<Row> {
  await expect.poll(() => requests.length).toBeGreaterThan(0);
  return row(at(requests, 0).body);
}
