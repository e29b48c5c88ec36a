import { expect, test } from 'vitest';
import { writeWindow } from '../../src/mirror/fill/order-windows.ts';
import { createRecords } from '../../src/mirror/read/records.ts';
import { type Row, row, rows, the } from '../support/academy.ts';
import { startAcademy } from '../support/connect.ts';
import { requestsOf } from '../support/refusal.ts';
import { call as request, start as startSandbox } from '../support/sandbox.ts';
import { askBoth, type BothWays, bothWays, coverageOf } from './both-ways.ts';
import { buyersOf, emailsOf, someHolder } from './holders.ts';
import { open } from './open-store.ts';
import { startRewriting } from './rewriting.ts';
import { connectMirror, rowsOf, startFilled, startMirror, whenFilled } from './start-mirror.ts';

// Questions about one student: the mirror gives the orders if the details of the student confirm them.

const email = (both: BothWays, place: number) => both.sandbox.academy.students.all()[place]?.email ?? '';

const paidOrder = ({ sandbox }: BothWays) =>
  the(
    sandbox.academy.orders.all(),
    'paid order of a course',
    ({ courses, status }) => status === 'paid' && courses.length > 0,
  );

const start = () => bothWays({ students: 40, orders: 300 });

/** What an answer says of the student. How it was read may differ. */
function factsOf({ structured = {} }: { structured: Row | undefined }): Row {
  const {
    coverage,
    requests_spent: _spent,
    as_of: _as,
    new_up_to: _new,
    changes_as_of: _changes,
    source: _source,
    ...facts
  } = structured;
  const { complete, unreadable, doubtful } = row(coverage ?? {});
  return { ...facts, complete, unreadable, doubtful };
}

test('the profile of each student is that of the API, for fewer requests', async () => {
  const both = await start();
  for (let place = 0; place < 40; place += 1) {
    const asked = { email: email(both, place), max_requests: 60 };
    const [read, copied] = await askBoth(both, 'student_profile', asked);
    expect(factsOf(copied), copied.text).toEqual(factsOf(read));
    expect(row(copied.structured?.coverage).source, copied.text).toBe('mirror and API');
    expect(Number(requestsOf(copied))).toBeLessThan(Number(requestsOf(read)));
  }
});

test('a diagnosis is that of the API, also where no order gives the product', async () => {
  const both = await start();
  for (let place = 0; place < 40; place += 1) {
    const asked = { email: email(both, place), product: `course ${1 + (place % 9)}` };
    const [read, copied] = await askBoth(both, 'diagnose_access', asked);
    expect(factsOf(copied), copied.text).toEqual(factsOf(read));
    const isHeld = rows(read.structured?.through ?? []).length > 0;
    expect(copied.structured?.source, copied.text).toBe(isHeld ? 'mirror and API' : undefined);
  }
});

test('an order that somebody else changed is read from the API, since the details show it', async () => {
  const both = await start();
  const order = paidOrder(both);
  const asked = { email: order.user_email };
  const before = await both.mirrored.call('student_profile', asked);
  order.courses = [];
  const [read, copied] = await askBoth(both, 'student_profile', asked);
  expect(factsOf(copied), copied.text).toEqual(factsOf(read));
  expect(factsOf(copied)).not.toEqual(factsOf(before));
  expect(row(copied.structured?.coverage).source).toBeUndefined();
});

test('the effect of a revocation is read from the API', async () => {
  const both = await start();
  const { user_email: student, courses } = paidOrder(both);
  const revoked = await both.mirrored.call('revoke_course', { email: student, course_id: courses[0], confirm: true });
  expect(revoked.structured, revoked.text).toMatchObject({ verified: true });
  const profile = await both.mirrored.call('student_profile', { email: student });
  const held = rows(profile.structured?.holds ?? []).map(({ product }) => product);
  expect(held, profile.text).not.toContain(`course ${courses[0]}`);
});

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
    const sandbox = await startSandbox();
    const newest = sandbox.academy.orders.all().at(-1)?.id;
    const orders = (order: Row) => (order.id === newest ? { ...order, ...broken } : order);
    const odd = await connectMirror({ ACADEMY_BASE_URL: await startRewriting(sandbox.url, { orders }) });
    await whenFilled(odd);
    expect(await rowsOf(odd, 'SELECT count(*) AS n FROM orders')).toEqual([{ n: 40 }]);
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
