import { expect, test } from 'vitest';
import { dataTools, eventTools, tools } from '../../tools/index.ts';
import type { Row } from '../support/academy.ts';
import { connect, startAcademy } from '../support/connect.ts';
import { call as request, temporaryFile } from '../support/sandbox.ts';
import { coverageOf } from './both-ways.ts';
import { buyersOf, emailsOf, type Started, someHolder } from './holders.ts';
import { startRewriting } from './rewriting.ts';
import { rowsOf, startMirror, whenFilled } from './start-mirror.ts';

const tookFresh = ['list_students', 'find_buyers', 'sales_report', 'unpaid_orders', 'course_progress'];

test('an answer of the mirror says so in both forms, and costs no request', async () => {
  const academy = await startMirror();
  await whenFilled(academy);
  const { structured, text, meta } = await academy.call('find_buyers', { period: 'last_30_days' });
  expect(coverageOf({ structured })).toMatchObject({ complete: true, source: 'mirror', requests_spent: 0 });
  expect(text).toMatch(/0 requests, source: mirror, (as of|new orders up to) 20\d\d-\S+Z/);
  expect(meta['academy/budget']).toMatchObject({ requests: 0 });
  const fresh = await academy.call('find_buyers', { period: 'last_30_days', fresh: true });
  expect(coverageOf(fresh).source).toBeUndefined();
  expect(coverageOf(fresh).requests_spent).toBeGreaterThan(0);
  expect(fresh.text).not.toContain('mirror');
});

test('fresh is listed only if the mirror is on, and otherwise refused', async () => {
  const off = await startAcademy();
  expect(JSON.stringify(await off.client.listTools())).not.toContain('fresh');
  expect((await off.call('sales_report', { fresh: true })).text).toMatch(/^invalid_input: .*fresh/);
  const on = await startMirror();
  const listed = (await on.client.listTools()).tools.filter(
    ({ inputSchema }) => 'fresh' in (inputSchema.properties ?? {}),
  );
  expect(listed.map(({ name }) => name)).toEqual(tookFresh);
  const known = [...tools, ...eventTools].filter(({ readsMirror }) => readsMirror === true);
  expect(known.map(({ name }) => name)).toEqual(tookFresh);
});

test('with fresh, no tool takes more of the list than others may', async () => {
  const { client } = await startMirror();
  const { tools: listed } = await client.listTools();
  const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));
  // The budgets of the list without a mirror.
  for (const tool of listed) expect(bytesOf(tool), tool.name).toBeLessThanOrEqual(3_600);
  expect(bytesOf({ tools: listed }) / listed.length).toBeLessThanOrEqual(1_493);
});

test('the next part of an answer of the mirror can be read from the API', async () => {
  const academy = await startMirror();
  await whenFilled(academy);
  for (const [tool, args] of [
    ['find_buyers', {}],
    ['list_students', { sort: 'name' }],
  ] as const) {
    const first = await academy.call(tool, { ...args, limit: 5 });
    const cursor = first.structured?.next_cursor;
    const [copied, read] = [
      await academy.call(tool, { ...args, limit: 5, cursor }),
      await academy.call(tool, { ...args, limit: 5, cursor, fresh: true }),
    ];
    expect([copied, read].map((part) => coverageOf(part).source)).toEqual(['mirror', undefined]);
    expect(read.structured?.buyers ?? read.structured?.students).toEqual(
      copied.structured?.buyers ?? copied.structured?.students,
    );
  }
});

test('what changed on the platform since is missing, and the answer says as of when', async () => {
  const academy = await startMirror();
  await whenFilled(academy);
  const holder = await someHolder(academy);
  const asked = buyersOf(holder.course_id);
  const before = await academy.call(...asked);
  await request(academy.sandbox, 'POST', '/api/v1/student/revoke-course', holder);
  const changedAt = new Date();
  const copied = await academy.call(...asked);
  expect(emailsOf(copied)).toEqual(emailsOf(before));
  expect(emailsOf(copied)).toContain(holder.email.toLowerCase());
  const { source, as_of, changes_as_of = as_of } = coverageOf(copied);
  expect(source).toBe('mirror');
  expect(Date.parse(String(changes_as_of))).toBeLessThan(changedAt.getTime());
  expect(copied.text).toContain(`as of ${changes_as_of}`);
  expect(emailsOf(await academy.call(asked[0], { ...asked[1], fresh: true }))).not.toContain(
    holder.email.toLowerCase(),
  );
});

test('while the mirror lacks orders of the question, the API answers', async () => {
  const academy = await startMirror({ orders: 2_500, latencyMs: 80 });
  const orders = async () => (coverageOf(await academy.call('describe_data')).tables as Row | undefined)?.orders;
  await expect.poll(orders, { timeout: 20_000, interval: 50 }).toMatch(/^complete from/);
  const recent = await academy.call('sales_report', { period: 'today' });
  const whole = await academy.call('sales_report', {});
  expect(coverageOf(whole)).toMatchObject({ complete: true });
  expect([recent, whole].map((one) => coverageOf(one).source)).toEqual(['mirror', undefined]);
  await whenFilled(academy);
  const copied = await academy.call('sales_report', {});
  expect(coverageOf(copied).source).toBe('mirror');
  expect(copied.structured?.totals).toEqual(whole.structured?.totals);
});

test('orders with an unreadable time or status are left to the API', async () => {
  for (const broken of [{ created_at: 'soon' }, { status: null }]) {
    const academy = await startMirror();
    const isFirst = ({ id }: Row) =>
      id === academy.sandbox.academy.orders.find({ status: 'all' }, undefined).rows[0]?.id;
    const url = await startRewriting(academy.sandbox.url, {
      orders: (order) => (isFirst(order) ? { ...order, ...broken } : order),
    });
    const settings = { ACADEMY_BASE_URL: url, ACADEMY_RATE_LIMIT: 'off', ACADEMY_MIRROR: 'memory' };
    const odd = await startMirror({}, settings);
    await expect
      .poll(async () => (await rowsOf(odd, 'SELECT count(*) AS n FROM orders'))[0]?.n, { timeout: 20_000 })
      .toBe(400);
    await expect.poll(async () => coverageOf(await odd.call('list_students', { sort: 'name' })).source).toBe('mirror');
    expect(coverageOf(await odd.call('sales_report', {})).source, JSON.stringify(broken)).toBeUndefined();
  }
});

test('a mirror that nobody has filled for a while is not used', async () => {
  const academy = await startMirror();
  const file = await temporaryFile('mirror.db');
  const settings = { ACADEMY_BASE_URL: academy.sandbox.url, ACADEMY_RATE_LIMIT: 'off', ACADEMY_MIRROR: file };
  const filler = await connect(settings, { offered: tools });
  const source = async ({ call }: Pick<Started, 'call'>) => coverageOf(await call('sales_report', {})).source;
  await expect.poll(() => source(filler), { timeout: 20_000 }).toBe('mirror');
  const reader = await connect(settings, { offered: tools });
  await expect.poll(() => source(reader), { timeout: 20_000 }).toBe('mirror');
  const offered = [...tools, ...dataTools];
  const late = await connect(settings, { offered, now: () => new Date(Date.now() + 11 * 60_000) });
  const isComplete = async () => coverageOf(await late.call('describe_data')).complete;
  await expect.poll(isComplete, { timeout: 20_000 }).toBe(true);
  expect(await source(late)).toBeUndefined();
});
