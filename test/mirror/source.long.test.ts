import { expect, test } from 'vitest';
import { writeWindow } from '../../src/mirror/fill/order-windows.ts';
import { createRecords } from '../../src/mirror/read/records.ts';
import type { Row } from '../support/academy.ts';
import { startAcademy } from '../support/connect.ts';
import { call as request } from '../support/sandbox.ts';
import { coverageOf } from './both-ways.ts';
import { buyersOf, emailsOf, someHolder } from './holders.ts';
import { open } from './open-store.ts';
import { startRewriting } from './rewriting.ts';
import { rowsOf, startFilled, startMirror, whenFilled } from './start-mirror.ts';

test('an answer of the mirror says so in both forms, and costs no request', async () => {
  const academy = await startFilled();
  const { structured, text, meta } = await academy.call('find_buyers', { period: 'last_30_days' });
  expect(coverageOf({ structured })).toMatchObject({ complete: true, source: 'mirror', requests_spent: 0 });
  expect(text).toMatch(/0 requests, source: mirror, (as of|new orders up to) 20\d\d-\S+Z/);
  expect(meta['academy/budget']).toMatchObject({ requests: 0 });
});

test('no tool takes the argument fresh: refresh_data comes before the question', async () => {
  for (const { client, call } of [await startAcademy(), await startMirror()]) {
    expect(JSON.stringify(await client.listTools())).not.toContain('"fresh"');
    for (const tool of ['list_students', 'find_buyers', 'sales_report', 'unpaid_orders', 'course_progress']) {
      const args = tool === 'course_progress' ? { course_id: 1, fresh: true } : { fresh: true };
      expect((await call(tool, args)).text, tool).toMatch(/^invalid_input: .*fresh/);
    }
  }
});

test('what changed on the platform since is missing, and the answer says as of when', async () => {
  const academy = await startFilled();
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
  await academy.call('refresh_data', { what: 'orders', since: '2020-01-01' });
  expect(emailsOf(await academy.call(...asked))).not.toContain(holder.email.toLowerCase());
});

test('while the mirror lacks orders of the question, the API gives those', async () => {
  const academy = await startMirror({ orders: 2_500, latencyMs: 80 });
  const orders = async () => (coverageOf(await academy.call('describe_data')).tables as Row | undefined)?.orders;
  await expect.poll(orders, { timeout: 20_000, interval: 50 }).toMatch(/^complete from/);
  const recent = await academy.call('sales_report', { period: 'today' });
  const whole = await academy.call('sales_report', {});
  expect(coverageOf(whole)).toMatchObject({ complete: true });
  expect([recent, whole].map((one) => coverageOf(one).source)).toEqual(['mirror', 'mirror and API']);
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
    const odd = await startFilled({}, settings);
    expect(await rowsOf(odd, 'SELECT count(*) AS n FROM orders')).toEqual([{ n: 400 }]);
    expect(coverageOf(await odd.call('sales_report', {})).source, JSON.stringify(broken)).toBeUndefined();
  }
});

test('orders of which no new ones were looked for in the last ten minutes are left to the API', async () => {
  const store = await open();
  const to = Date.parse('2026-11-01T12:00:00Z');
  await store.write([writeWindow({ from: 0, to, readAt: to, problem: undefined })]);
  const after = (minutes: number) =>
    createRecords(store, () => new Date(to + minutes * 60_000)).orders({ from: 1, to });
  expect(await after(9)).toMatchObject({ orders: [] });
  expect(await after(11)).toBeUndefined();
});
