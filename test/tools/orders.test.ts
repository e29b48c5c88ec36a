import { expect, test } from 'vitest';
import { at, between, type Row, row, rows, the, words } from '../support/academy.ts';
import { connectToApi, startAcademy } from '../support/connect.ts';
import { expectRefusal } from '../support/refusal.ts';
import { asShown, everyRow, ids, truth, truths, without } from '../support/truth.ts';
import { withWholeRows } from '../support/whole-rows.ts';

const kinds = [
  ['courses', 'course'],
  ['bundles', 'bundle'],
  ['digital_products', 'digital_product'],
] as const;

/** An order as list_orders should show it, worked out from the API's own record. */
function expectedOrder(order: Row): Row {
  const { id, created_at, amount, currency, status, user_email: email, user_name: name } = order;
  const bought = kinds.flatMap(([list, kind]) => rows(order[list]).map((item) => [`${kind} ${item.id}`, item.title]));
  return {
    ...asShown({ id, created_at: String(created_at).slice(0, 10), amount, currency, status, email, name }),
    ...(Number(amount) === 0 ? { granted: true } : {}),
    ...(bought.length > 0 ? { products: Object.fromEntries(bought) } : {}),
  };
}

test('list_orders shows buyer, amount, status and what was bought, of paid orders and 25 a page', async () => {
  const { sandbox, call } = await startAcademy();
  const orders = await truths(sandbox, '/api/v1/orders', 'orders');
  const { structured } = await call('list_orders');
  expect(structured?.defaults).toEqual({ currency: 'USD', status: 'paid' });
  expect(withWholeRows(structured)).toEqual({
    page: 1,
    total_pages: Math.ceil(orders.length / 25),
    total: orders.length,
    by_members: ['email', 'name'],
    next_page: 2,
    orders: orders.slice(0, 25).map(expectedOrder),
  });
});

test('list_orders always asks for a page, so that the API never sends every order', async () => {
  const { call, requests } = await connectToApi({ body: { orders: [] } });
  await call('list_orders');
  expect(at(requests, 0).query).toEqual([
    ['page', '1'],
    ['per_page', '25'],
  ]);
});

test('an order of amount 0 is marked as granted, and no other', async () => {
  const { sandbox, call } = await startAcademy();
  const granted = (await truths(sandbox, '/api/v1/orders', 'orders')).filter(({ amount }) => Number(amount) === 0);
  const read = await everyRow(call, 'list_orders', 'orders', { per_page: 100 }, ['next_page', 'page']);
  expect(granted.length).toBeGreaterThan(0);
  expect(ids(read.filter(({ granted }) => granted === true))).toEqual(ids(granted));
});

test('list_orders filters by status, buyer and time', async () => {
  const { sandbox, call } = await startAcademy();
  const orders = await truths(sandbox, '/api/v1/orders?status=all', 'orders');
  const ask = async (filter: Row) =>
    ids(rows((await call('list_orders', { per_page: 100, ...filter })).structured?.orders));
  for (const status of ['pending', 'failed', 'wallet_executed']) {
    expect(await ask({ status })).toEqual(ids(orders.filter((order) => order.status === status)));
  }
  const { user_email } = at(orders, 5);
  expect(await ask({ status: 'all', user_email })).toEqual(
    ids(orders.filter((order) => order.user_email === user_email)),
  );
  for (const other of [`x${user_email}`, String(user_email).slice(1)]) {
    expect(
      ids(rows((await call('list_orders', { status: 'all', user_email: other })).structured?.orders ?? [])),
    ).toEqual([]);
  }
  const middle = between(orders.slice(0, 50).map(({ created_at }) => words(created_at)));
  const after = orders.filter(({ created_at }) => Date.parse(words(created_at)) > Date.parse(middle));
  expect(await ask({ status: 'all', created_after: middle })).toEqual(ids(after));
});

test('list_orders with detail full adds every other field of the API', async () => {
  const { sandbox, call } = await startAcademy();
  const orders = await truths(sandbox, '/api/v1/orders?page=1&per_page=3', 'orders');
  const { structured } = await call('list_orders', { detail: 'full', per_page: 3 });
  const shownApart = ['user_email', 'user_name', ...kinds.map(([list]) => list)];
  const expected = orders.map((order) => ({
    ...expectedOrder(order),
    ...asShown(without(order, ...shownApart), 'description'),
  }));
  expect(withWholeRows(structured).orders).toEqual(expected);
});

test('an order keeps products of another shape than id and title', async () => {
  const order = {
    id: 'a1',
    amount: '5.00',
    courses: [{ id: 1, title: 'One' }],
    bundles: [{ bundle: 7 }],
    digital_products: [{ id: 3, title: 'Three', file: 'three.pdf' }],
  };
  const { call } = await connectToApi({ body: order });
  const { structured, text } = await call('get_order', { order_id: 'a1' });
  expect(structured).toEqual({
    id: 'a1',
    amount: '5.00',
    products: { 'course 1': 'One' },
    bundles: [{ bundle: 7 }],
    digital_products: [{ id: 3, title: 'Three', file: 'three.pdf' }],
    coverage: { complete: false, unreadable: { products: 1 } },
  });
  expect(text).toContain('three.pdf');
});

test('a field of the platform with the name of one of ours is shown beside it', async () => {
  const own = { granted: false, email: 'x@example.com', name: 'X', products: 'two' };
  const { call } = await connectToApi({ body: { id: 'a1', amount: '0.00', user_email: 'ana@example.com', ...own } });
  const { structured } = await call('get_order', { order_id: 'a1' });
  const theirs = { api_granted: false, api_email: 'x@example.com', api_name: 'X', api_products: 'two' };
  expect(structured).toMatchObject({ granted: true, email: 'ana@example.com', ...theirs });
});

test('get_order shows one order whole', async () => {
  const { sandbox, call } = await startAcademy();
  const orders = await truths(sandbox, '/api/v1/orders', 'orders');
  const { id } = the(orders, 'order with a company', ({ billing_company }) => billing_company !== null);
  const order = await truth(sandbox, `/api/v1/orders/${id}`);
  const { structured, text } = await call('get_order', { order_id: id });
  const shownApart = ['user_email', 'user_name', ...kinds.map(([list]) => list)];
  const { by_members, ...shown } = row(structured);
  expect(shown).toEqual({ ...expectedOrder(order), ...asShown(without(order, ...shownApart), 'description') });
  expect(by_members).toEqual(expect.arrayContaining(['email', 'name', 'billing_city', 'billing_company']));
  expect(by_members).not.toContain('status');
  expect(text).toContain(`billing_company: ${order.billing_company}`);
});

test('an empty list of orders says what was asked and why it may be empty', async () => {
  const { sandbox, call } = await startAcademy();
  const noteOf = async (args: Row) => {
    const { structured, text } = await call('list_orders', args);
    expect(structured?.orders).toBeUndefined();
    expect(text).toContain(String(structured?.note).slice(0, 20));
    return structured?.note;
  };
  expect(await noteOf({ page: 900 })).toMatch(/^page 900 is beyond the last page of the orders, \d+/);
  expect(await noteOf({ created_after: '2999-01-01' })).toBe('created_after 2999-01-01T00:00:00Z is in the future');
  expect(await noteOf({ created_before: '2001-01-01', status: 'failed' })).toBe(
    'no order of status failed, before 2001-01-01T00:00:00Z; status "all" shows every status',
  );
  const unknown = await call('list_orders', { user_email: 'nobody@example.com' });
  const note = expect.stringContaining('get_student_details');
  expect(unknown.structured).toEqual({ page: 1, total_pages: 0, total: 0, note });
  expect(unknown.text).toContain('0 of 0 orders');
  const user_email = String(at(await truths(sandbox, '/api/v1/orders', 'orders'), 0).user_email);
  expect(await noteOf({ user_email: user_email.toUpperCase() })).toContain('capitals count');
  expect((await call('list_orders', { user_email })).structured?.note).toBeUndefined();
});

test('list_orders takes period and timezone, sends times with a zone, and says which bounds it used', async () => {
  // The clock of the academy decides what last week is.
  const date = new Date('2026-11-18T10:00:00Z').toUTCString();
  const { call, requests } = await connectToApi({ headers: { date }, body: { orders: [] } });
  const sent = () => {
    const query = Object.fromEntries(requests.at(-1)?.query ?? []);
    return [query.created_after, query.created_before];
  };
  const { structured, text } = await call('list_orders', { period: 'last_week', timezone: 'Europe/Lisbon' });
  const bounds = { from: '2026-11-09T00:00:00Z', to: '2026-11-16T00:00:00Z', timezone: 'Europe/Lisbon' };
  expect(structured?.period).toEqual(bounds);
  for (const value of Object.values(bounds)) expect(text).toContain(value);
  expect(sent()).toEqual([bounds.from, bounds.to]);
  await call('list_orders', { period: 'this_week', timezone: 'Asia/Tokyo' });
  expect(sent()).toEqual(['2026-11-15T15:00:00Z', undefined]);
  await call('list_orders', {
    created_after: '2026-11-01',
    created_before: '2026-11-02T12:00:00+02:00',
    timezone: 'Asia/Tokyo',
  });
  expect(sent()).toEqual(['2026-10-31T15:00:00Z', '2026-11-02T12:00:00+02:00']);
  const both = await call('list_orders', { period: 'today', created_after: '2026-11-01' });
  expect(expectRefusal(both, 'invalid_input')).toContain('not both');
});
