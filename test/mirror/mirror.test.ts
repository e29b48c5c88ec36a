import { expect, test } from 'vitest';
import { startOddAcademy } from '../odd/academy/server.ts';
import type { Row } from '../support/academy.ts';
import { sharedByTests } from '../support/at-end.ts';
import { call as request, start, temporaryFile } from '../support/sandbox.ts';
import { besideOf, saveFile } from './open-store.ts';
import { startRewriting } from './rewriting.ts';
import { connectMirror, rowsOf, startFilled, startMirror, whenFilled } from './start-mirror.ts';

/** All orders, read page by page without any code of the mirror. */
async function rawOrders(sandbox: Parameters<typeof request>[0]): Promise<Row[]> {
  const orders: Row[] = [];
  for (let page = 1; ; page += 1) {
    const { body } = await request(sandbox, 'GET', `/api/v1/orders?status=all&page=${page}&per_page=100`);
    const { orders: some } = body as { orders: Row[] };
    orders.push(...some);
    if (some.length < 100) return orders;
  }
}

const cents = (amount: unknown) => Math.round(Number(amount) * 100);
const isPaid = ({ status, amount }: Row) => ['paid', 'wallet_executed'].includes(String(status)) && cents(amount) > 0;
const listsOf = ({ courses, bundles, digital_products }: Row) => [courses, bundles, digital_products].flat();

/** For tests that change nothing at the academy. */
const filled = sharedByTests(startFilled);

test('revenue, sales, holdings and bundles are those of the raw orders', async () => {
  const academy = await filled();
  const orders = await rawOrders(academy.sandbox);
  const paid = orders.filter(isPaid);
  const sums = new Map<string, number>();
  for (const order of paid) {
    const key = `${String(order.created_at).slice(0, 7)} ${order.currency}`;
    sums.set(key, (sums.get(key) ?? 0) + cents(order.amount));
  }
  const months = await rowsOf(
    academy,
    "SELECT month || ' ' || currency AS key, decimal_sum(amount) AS sum, sum(amount_e4) AS units FROM orders WHERE status IN ('paid', 'wallet_executed') AND amount_e4 > 0 GROUP BY 1",
  );
  expect(new Map(months.map(({ key, sum }) => [key, cents(sum)]))).toEqual(sums);
  expect(new Map(months.map(({ key, units }) => [key, Number(units) / 100]))).toEqual(sums);
  const [counts] = await rowsOf(
    academy,
    'SELECT (SELECT count(*) FROM orders) AS orders, (SELECT count(*) FROM order_items) AS items, (SELECT count(*) FROM sales) AS sales, (SELECT count(*) FROM students) AS students',
  );
  const items = (some: Row[]) => some.reduce((sum, order) => sum + listsOf(order).length, 0);
  expect(counts).toEqual({ orders: orders.length, items: items(orders), sales: items(paid), students: 120 });
  const held = new Set<string>();
  const isHeld = ({ status }: Row) => status === 'paid' || status === 'wallet_executed';
  for (const order of orders.filter(isHeld)) {
    for (const { id } of order.courses as { id: number }[]) held.add(`${String(order.user_email).toLowerCase()} ${id}`);
  }
  const holdings = await rowsOf(academy, "SELECT count(*) AS n FROM holdings WHERE kind = 'course'");
  expect(holdings).toEqual([{ n: held.size }]);
  const withBundle = orders.filter(({ bundles }) => (bundles as Row[]).length === 1);
  const rows = await rowsOf(academy, 'SELECT count(*) AS n FROM order_items WHERE bundle_id IS NOT NULL');
  const contents = withBundle.reduce((sum, order) => sum + listsOf(order).length - 1, 0);
  expect(contents).toBeGreaterThan(0);
  expect(rows).toEqual([{ n: contents }]);
  const again = await academy.call('refresh_data', { what: 'orders', since: '2020-01-01' });
  expect(again.isError, again.text).toBe(false);
  expect(await rowsOf(academy, 'SELECT count(*) AS n FROM order_items WHERE bundle_id IS NOT NULL')).toEqual(rows);
});

test('days, weeks and months are in the time zone', async () => {
  const academy = await startFilled({ students: 20, orders: 200 }, { ACADEMY_TIMEZONE: 'Pacific/Auckland' });
  const rows = await rowsOf(academy, 'SELECT created_at, day, week, month FROM orders LIMIT 200');
  const format = new Intl.DateTimeFormat('en-CA', { timeZone: 'Pacific/Auckland', dateStyle: 'short' });
  for (const { created_at, day, week, month } of rows) {
    expect(day).toBe(format.format(new Date(String(created_at))));
    expect(month).toBe(String(day).slice(0, 7));
    expect(week).toMatch(/^\d{4}-W\d\d$/);
  }
  const [other] = await rowsOf(academy, 'SELECT count(*) AS n FROM orders WHERE day <> substr(created_at, 1, 10)');
  expect(Number(other?.n)).toBeGreaterThan(0);
});

test('a new order and a revoked course are there after refresh_data', async () => {
  const academy = await startFilled({ students: 20, orders: 60 });
  const [held] = await rowsOf(academy, "SELECT email, name, product_id FROM holdings WHERE kind = 'course' LIMIT 1");
  const course = `email = '${held?.email}' AND kind = 'course' AND product_id = ${held?.product_id}`;
  const body = { email: held?.email, name: held?.name, course_id: held?.product_id };
  await request(academy.sandbox, 'POST', '/api/v1/student/revoke-course', body);
  await academy.call('refresh_data', { since: '2000-01-01' });
  expect(await rowsOf(academy, `SELECT count(*) AS n FROM holdings WHERE ${course}`)).toEqual([{ n: 0 }]);
  await request(academy.sandbox, 'POST', '/api/v1/student/enroll', body);
  await academy.call('refresh_data');
  expect(await rowsOf(academy, `SELECT count(*) AS n, max(how) AS how FROM holdings WHERE ${course}`)).toEqual([
    { n: 1, how: 'granted' },
  ]);
});

test('refresh_data says how fresh the refreshed tables are, and no others', async () => {
  const academy = await filled();
  const tablesAfter = async (what: string) => {
    const { structured } = await academy.call('refresh_data', { what });
    const { tables = {} } = (structured?.coverage ?? {}) as { tables?: object };
    return Object.keys(tables);
  };
  expect(await tablesAfter('orders')).toEqual(['orders', 'order_items']);
  expect(await tablesAfter('structures')).toEqual(['modules', 'lessons']);
});

test('refresh_data does not wait until the background may send again', { timeout: 90_000 }, async () => {
  // The background can send one request a minute, and its first step takes several.
  const academy = await startMirror(
    { rateLimit: 60, students: 20, orders: 60 },
    { ACADEMY_RATE_LIMIT: '60', ACADEMY_MIRROR_SHARE: '0.01' },
  );
  const { coverage } = (await academy.call('describe_data')).structured ?? {};
  expect(coverage).toMatchObject({ complete: false });
  const { structured } = await academy.call('refresh_data', { what: 'catalog' });
  expect(structured).toMatchObject({ finished: true, coverage: { complete: true } });
  const orders = await academy.call('refresh_data', { since: '2020-01-01' });
  // The background has read no order yet.
  expect(orders.text).toMatch(/^Refreshed\. Orders complete.*; (as of|new orders up to) 20\d\d-/);
});

test('an order that a platform shows with a time outside of the period that was asked for is kept', async () => {
  const sandbox = await start({ rateLimit: 'off', students: 40, orders: 1_500 });
  const earlier = (time: unknown) => new Date(Date.parse(String(time)) - 1.5 * 86_400_000).toISOString();
  const ACADEMY_BASE_URL = await startRewriting(sandbox.url, {
    orders: (order) => ({ ...order, created_at: earlier(order.created_at) }),
  });
  const academy = await connectMirror({ ACADEMY_BASE_URL });
  await whenFilled(academy);
  expect(await rowsOf(academy, 'SELECT count(*) AS n FROM orders')).toEqual([{ n: 1_500 }]);
});

test('a copy that turns out to be damaged is opened again and filled from the academy', async () => {
  const sandbox = await start({ rateLimit: 'off', students: 20, orders: 60 });
  const file = await temporaryFile('mirror.db');
  // The image is as it was saved, but SQLite cannot read its orders.
  const page = "(SELECT rootpage FROM sqlite_schema WHERE name = 'orders')";
  const damage = `UPDATE sqlite_dbpage SET data = zeroblob(8192) WHERE pgno = ${page}`;
  await saveFile(file, ['not of the academy'], damage, { baseUrl: new URL(sandbox.url).href });
  const settings = { ACADEMY_BASE_URL: sandbox.url, ACADEMY_MIRROR: file, ACADEMY_TIMEZONE: 'UTC' };
  const academy = await connectMirror(settings);
  await expect.poll(() => academy.call('describe_data').then(({ isError }) => isError)).toBe(false);
  await whenFilled(academy);
  expect(await rowsOf(academy, 'SELECT count(*) AS n FROM orders')).toEqual([{ n: 60 }]);
  expect(await besideOf(file)).toContain('.damaged-…');
});

/** Less than the time since the newest order. */
const ageMs = 1_200_000;

test('the copy is as old as the answers that a cache on the way gave', async () => {
  const academy = await startOddAcademy([
    { after: (reply) => ({ ...reply, headers: { ...reply.headers, age: String(ageMs / 1000) } }) },
  ]);
  const connected = await connectMirror({ ACADEMY_BASE_URL: academy.url, ACADEMY_API_KEY: academy.key });
  await whenFilled(connected);
  const { structured } = await connected.call('query_data', {
    sql: 'SELECT name, new_up_to, changes_as_of FROM sync WHERE new_up_to IS NOT NULL',
  });
  const rows = (structured?.rows ?? []) as Row[];
  const named = rows.map((row) => String(Object.values(row)[0]));
  expect(named).toEqual(expect.arrayContaining(['orders', 'students', 'courses']));
  for (const row of rows) {
    const [name, ...times] = Object.values(row).map(String);
    // A minute for the filling.
    for (const time of times) expect(Date.parse(time), name).toBeLessThan(Date.now() - ageMs + 60_000);
  }
  const { structured: sales } = await connected.call('sales_report', { period: 'last_week' });
  const { as_of, changes_as_of = as_of } = (sales?.coverage ?? {}) as Row;
  expect(Date.parse(String(changes_as_of))).toBeLessThan(Date.now() - ageMs + 60_000);
});
