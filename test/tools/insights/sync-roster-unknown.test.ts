import { setTimeout } from 'node:timers/promises';
import type { Progress } from '@modelcontextprotocol/sdk/types.js';
import { expect, test } from 'vitest';
import type { Act, Exchange } from '../../reliability/fault.ts';
import { type Row, row } from '../../support/academy.ts';
import { cut } from '../../support/arrange.ts';
import { startAcademy } from '../../support/connect.ts';
import { type Guarded, startGuarded } from '../../support/guarded.ts';
import type { Recorded, Reply } from '../../support/recorder.ts';
import { rawOrders } from '../../support/sales.ts';
import { answering } from '../../support/writes.ts';

const tool = 'sync_roster';
const students = Array.from({ length: 4 }, (_, index) => ({ email: `p${index}@example.com`, name: `P ${index}` }));
const asked = { students, product: 'course 1', confirm: true };

async function ordersIn({ sandbox }: Guarded): Promise<number[]> {
  const orders = await rawOrders(sandbox);
  return students.map(({ email }) => orders.filter((order) => order.user_email === email).length);
}

const isEnrollmentOf = (email: string) => (method: string, _path: string, body: string) =>
  method === 'POST' && body.includes(email);

test.for(['true', 'false'])(
  'with ACADEMY_PREFLIGHT=%s, a student whose connection is cut is unknown, and the same list again only checks',
  async (preflight) => {
    const guarded = await startGuarded({ ACADEMY_PREFLIGHT: preflight });
    const { call, between, writes } = guarded;
    const twice = between.arm({ name: 'cut', fault: cut, match: isEnrollmentOf('p1@'), times: 2 });
    const first = await call(tool, asked);
    expect(first.structured?.totals).toEqual({ applied: 3, unknown: 1 });
    expect(first.structured?.next).toContain('student_profile');
    const again = await call(tool, asked);
    expect(again.structured?.totals).toEqual({ already_there: 3, unknown: 1 });
    expect(row(again.structured?.students)['p1@example.com']).toMatch(/^unknown: /);
    expect([writes().length, twice.left()]).toEqual([4, 1]);
    expect(await ordersIn(guarded)).toEqual([1, 0, 1, 1]);
  },
);

test('after the quarantine the same list enrolls the student, even after a second cut', async () => {
  const guarded = await startGuarded({ ACADEMY_QUARANTINE_MS: '1' });
  guarded.between.arm({ name: 'cut', fault: cut, match: isEnrollmentOf('p1@'), times: 2 });
  const totals = [];
  for (let time = 0; time < 3; time += 1) totals.push((await guarded.call(tool, asked)).structured?.totals);
  expect(totals).toEqual([
    { applied: 3, unknown: 1 },
    { already_there: 3, unknown: 1 },
    { applied: 1, already_there: 3 },
  ]);
  expect(await ordersIn(guarded)).toEqual([1, 1, 1, 1]);
});

test('a student whose enrollment completes late is not enrolled twice, even if the account appears before the order', async () => {
  const guarded = await startGuarded();
  const { sandbox, call, between, writes } = guarded;
  let finish = async () => {};
  const late: Act = {
    at: 'body',
    act: (exchange: Exchange) => {
      finish = async () => void (await exchange.work());
      exchange.socket.destroy();
    },
  };
  between.arm({ name: 'late', fault: late, match: isEnrollmentOf('p1@') });
  expect((await call(tool, asked)).structured?.totals).toEqual({ applied: 3, unknown: 1 });
  sandbox.academy.students.join({ email: 'p1@example.com', name: 'P 1', createdAt: Date.now() });
  expect((await call(tool, asked)).structured?.totals).toEqual({ already_there: 3, unknown: 1 });
  await finish();
  expect((await call(tool, asked)).structured?.totals).toEqual({ already_there: 4 });
  expect(writes()).toHaveLength(4);
  expect(await ordersIn(guarded)).toEqual([1, 1, 1, 1]);
});

test('a student whose answer was lost is found and applied, or unknown if no read is possible', async () => {
  const guarded = await startGuarded();
  const { call, between } = guarded;
  const losesAnswer = (then = () => {}): Act => ({
    at: 'body',
    act: async ({ socket, work }) => {
      await work();
      then();
      socket.destroy();
    },
  });
  between.arm({ name: 'lost', fault: losesAnswer(), match: isEnrollmentOf('p1@') });
  let isBlind = false;
  const blinding = losesAnswer(() => {
    isBlind = true;
  });
  between.arm({ name: 'blind', fault: blinding, match: isEnrollmentOf('p3@') });
  const blind = between.arm({ name: 'cut', fault: cut, match: (method) => isBlind && method === 'GET', times: 100 });
  expect((await call(tool, asked)).structured?.students).toMatchObject({
    'p1@example.com': 'applied',
    'p3@example.com': expect.stringMatching(/^unknown: /),
  });
  blind.disarm();
  expect((await call(tool, asked)).structured?.totals).toEqual({ already_there: 4 });
  expect(await ordersIn(guarded)).toEqual([1, 1, 1, 1]);
});

test('a plan that is cancelled while it waits for the limit is no failure of the program', async () => {
  const settings = { ACADEMY_RATE_LIMIT: '60', ACADEMY_MAX_WAIT_MS: '100' };
  const { client, log } = await startAcademy({ rateLimit: 60 }, settings);
  const ending = new AbortController();
  const onprogress = ({ message = '' }: Progress) => void (message.startsWith('waiting') && ending.abort());
  const call = { name: 'sync_roster', arguments: { product: 'course 1', students: students.slice(0, 1) } };
  const plan = () => client.callTool(call, undefined, { signal: ending.signal, onprogress });
  const untilItWaits = async () => {
    for (let times = 0; times < 60; times += 1) await plan();
  };
  await expect(untilItWaits()).rejects.toThrow();
  // The failure is logged right after the answer is no longer wanted.
  await setTimeout(50);
  expect(log.join('')).not.toContain('a tool failed unexpectedly');
});

const four = ['ann@example.com', 'bo@example.com', 'cy@example.com', 'di@example.com'].map((email) => ({
  email,
  name: email.split('@')[0],
}));

const page: Reply = { headers: { 'content-type': 'text/html' }, body: '<html>Sign in</html>' };

/** What each is answered: one is enrolled, one denied, one meets a web page, one is shown another course. */
const replies: Record<string, Reply> = {
  'ann@example.com': { body: { success: true } },
  'bo@example.com': { body: { success: false, message: 'Seats are sold out' } },
  'cy@example.com': page,
  'di@example.com': { body: { order: { id: 'ord_1', courses: [{ id: 8 }] } } },
};

function onRead({ path, query }: Recorded): Reply {
  if (path.endsWith('/courses/7')) return { body: { id: 7, title: 'Piano' } };
  const email = new Map(query).get('email');
  if (path.endsWith('/details')) return { body: { email, name: email?.split('@')[0], paid_orders: [] } };
  return { body: { orders: [], meta: { total_pages: 0, total_orders: 0 } } };
}

test('a bulk enrollment reports each student by the response body, not the status code', async () => {
  const emailOf = ({ body }: Recorded) => String((body as Row).email);
  const { call } = await answering((request) => replies[emailOf(request)] ?? {}, onRead);
  const { structured, text } = await call('sync_roster', { product: 'course 7', students: four, confirm: true });
  expect(structured?.totals, text).toEqual({ applied: 1, failed: 1, unknown: 2 });
  const fates = structured?.students as Record<string, string>;
  expect(fates['ann@example.com']).toBe('applied');
  expect(fates['bo@example.com']).toMatch(/^failed: .*Seats are sold out/);
  expect(fates['cy@example.com']).toMatch(/^unknown: .*web page/);
  expect(fates['di@example.com']).toMatch(/^unknown: .*course_id/);
});
