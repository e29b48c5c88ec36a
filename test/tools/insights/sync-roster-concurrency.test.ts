import { setTimeout } from 'node:timers/promises';
import type { ElicitResult, Progress } from '@modelcontextprotocol/sdk/types.js';
import { expect, test } from 'vitest';
import type { Act, Exchange } from '../../reliability/fault-server.ts';
import { row } from '../../support/academy.ts';
import { addOrder, altering, cut, newcomer } from '../../support/arrange.ts';
import { startAcademy } from '../../support/connect.ts';
import { codeIn, type Guarded, startGuarded } from '../../support/guarded.ts';
import { expectPlan, requestsOf } from '../../support/refusal.ts';
import { rawOrders } from '../../support/sales.ts';

const tool = 'sync_roster';
const students = Array.from({ length: 4 }, (_, index) => ({ email: `p${index}@example.com`, name: `P ${index}` }));
const asked = { students, product: 'course 1', confirm: true };

async function ordersIn({ sandbox }: Guarded): Promise<number[]> {
  const orders = await rawOrders(sandbox);
  return students.map(({ email }) => orders.filter((order) => order.user_email === email).length);
}

const isEnrollmentOf = (email: string) => (method: string, _path: string, body: string) =>
  method === 'POST' && body.includes(email);

test('a new order that the list of orders does not show yet is named as not seen yet', async () => {
  const { call, between } = await startGuarded({});
  const isNewest = (_method: string, path: string) => path.includes('/orders?') && path.includes('created_after');
  between.arm({ name: 'late', fault: altering((body) => ({ ...body, orders: [] })), match: isNewest, times: 9 });
  const { structured } = await call(tool, { ...asked, students: students.slice(0, 1) });
  expect(structured?.totals).toEqual({ applied: 1 });
  expect(structured?.order_ids).toEqual({ 'p0@example.com': 'not seen yet' });
});

test('new orders are found if the clock of the academy is two hours ahead', async () => {
  const now = () => new Date(Date.now() + 7_200_000);
  const { call, between } = await startGuarded({}, {}, { now: now() });
  const dated: Act = {
    at: 'body',
    act: async ({ answer, work }) => answer(await work(), { date: now().toUTCString() }),
  };
  between.arm({ name: 'dated', fault: dated, match: () => true, times: 99 });
  const { structured, text } = await call(tool, { ...asked, students: students.slice(0, 1) });
  expect(structured?.order_ids, text).toEqual({ 'p0@example.com': expect.stringMatching(/^\w+$/) });
});

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

// What happens between a plan and its confirmation, or between a look at a student and their enrollment.

const mails = ['new@example.com', 'there@example.com', 'holder@example.com'];
const three = { students: mails.map((email) => ({ email, name: 'Ina Newcomer' })), product: 'course 1' };

/** One who is new, one who is there, and one who holds course 1. */
async function startWithThree(settings: Record<string, string> = {}, human?: () => ElicitResult) {
  const guarded = await startGuarded(settings, human === undefined ? {} : { human });
  newcomer(guarded.sandbox, 'there@example.com');
  addOrder(guarded.sandbox, newcomer(guarded.sandbox, 'holder@example.com'), { courses: [1] });
  return guarded;
}

/** How many orders give course 1 to each of the three. */
async function grantsIn({ sandbox }: Guarded): Promise<number[]> {
  const orders = await rawOrders(sandbox);
  const isOfCourse = (order: (typeof orders)[number]) => order.courses.some(({ id }) => id === 1);
  return mails.map((email) => orders.filter((order) => order.user_email === email && isOfCourse(order)).length);
}

test.for(['true', 'false'])(
  'with ACADEMY_PREFLIGHT=%s, a student who bought since the plan is skipped, and one who lost access is enrolled',
  async (preflight) => {
    const guarded = await startWithThree({ ACADEMY_PREFLIGHT: preflight });
    const { sandbox, call, writes } = guarded;
    expectPlan(await call(tool, three));
    const there = sandbox.academy.students.withEmail('there@example.com');
    if (there !== undefined) addOrder(sandbox, there, { courses: [1] });
    await call('revoke_course', { ...three.students[2], course_id: 1, confirm: true });
    const before = writes().length;
    const { structured = {} } = await call(tool, { ...three, confirm: true });
    expect(structured.students).toEqual({
      'new@example.com': 'applied',
      'there@example.com': 'already_there: already holds it',
      'holder@example.com': 'applied',
    });
    expect(writes()).toHaveLength(before + 2);
    expect(await grantsIn(guarded)).toEqual([1, 1, 1]);
  },
);

test('a student who buys while the one before is enrolled is skipped', async () => {
  const guarded = await startWithThree();
  const { sandbox, call, between } = guarded;
  expectPlan(await call(tool, three));
  const buying: Act = {
    at: 'body',
    act: async ({ answer, work }) => {
      const enrolled = await work();
      const there = sandbox.academy.students.withEmail('there@example.com');
      if (there !== undefined) addOrder(sandbox, there, { courses: [1] });
      answer(enrolled);
    },
  };
  between.arm({ name: 'buying', fault: buying, match: (method) => method === 'POST' });
  const { structured = {} } = await call(tool, { ...three, confirm: true });
  expect(structured.students).toMatchObject({
    'new@example.com': 'applied',
    'there@example.com': 'already_there: already holds it',
  });
  expect(await grantsIn(guarded)).toEqual([1, 1, 1]);
});

test('a caller cannot use the plan of another caller', async () => {
  const guarded = await startWithThree();
  const other = await guarded.another({ caller: 'other' });
  await other.call(tool, three);
  const theirs = { students: three.students.slice(0, 2), product: 'course 1', confirm: true };
  expect((await other.call(tool, theirs)).structured?.totals).toEqual({ applied: 2 });
  const { structured = {} } = await guarded.call(tool, { ...three, confirm: true });
  expect(structured.totals).toEqual({ already_there: 3 });
  expect(await grantsIn(guarded)).toEqual([1, 1, 1]);
});

const agreeing = (): ElicitResult => ({ action: 'accept', content: { agree: true } });

test.for([
  ['auto', undefined, 'shown'],
  ['argument', agreeing, 'shown'],
  ['auto', agreeing, 'shown'],
  ['preview', undefined, 'shown'],
  ['auto', undefined, 'not shown'],
] as const)('under %s the plan tells what the confirmed call will cost', async ([policy, human, paidOrders]) => {
  const guarded = await startWithThree({ ACADEMY_CONFIRM: policy, ACADEMY_PREFLIGHT: 'true' }, human);
  const { call, onPath } = guarded;
  const hide = altering(({ paid_orders: _, ...student }) => student);
  if (paidOrders === 'not shown') onPath('/details', hide);
  const plan = expectPlan(await call(tool, three));
  const cost = Number(/^Cost: at most (\d+) requests/m.exec(plan)?.[1]);
  const confirm = policy === 'preview' ? codeIn(plan) : true;
  const answer = await call(tool, { ...three, confirm });
  expect(answer.structured?.totals, answer.text).toEqual({ applied: 2, already_there: 1 });
  expect(requestsOf(answer)).toBe(cost);
  expect(row(answer.structured).requests_spent).toBe(cost);
});

test('the plan of two products counts what new students show after the first', async () => {
  const { call } = await startWithThree();
  const products = ['course 1', 'course 2'];
  const both = { students: ['ann', 'bob'].map((name) => ({ email: `${name}@new.example`, name })), products };
  const cost = Number(/^Cost: at most (\d+) requests/m.exec(expectPlan(await call(tool, both)))?.[1]);
  const answer = await call(tool, { ...both, confirm: true });
  expect(answer.structured?.totals, answer.text).toEqual({ applied: 2 });
  expect(requestsOf(answer)).toBeLessThanOrEqual(cost);
});

test('callers who enroll the same list at the same time create one order per student', async () => {
  const guarded = await startWithThree({ ACADEMY_PREFLIGHT: 'true' });
  const others = await Promise.all([1, 2, 3].map((number) => guarded.another({ caller: `caller ${number}` })));
  const answers = await Promise.all(others.map(({ call }) => call(tool, { ...three, confirm: true })));
  for (const { text } of answers) expect(text).not.toMatch(/failed|unknown/);
  expect(await grantsIn(guarded)).toEqual([1, 1, 1]);
});

test('a student whom another call enrolls after the check is not enrolled again', async () => {
  const guarded = await startWithThree();
  const { onPath, call } = guarded;
  const [newOne] = three.students;
  const outdated: Act = {
    at: 'body',
    act: async ({ answer, work }) => {
      const seen = await work();
      // With rename it reads nothing first: an identical read would wait for this answer.
      await call('enroll_student', { ...newOne, course_id: 1, rename: true });
      answer(seen);
    },
  };
  onPath('/details', outdated, 1);
  const { structured = {} } = await call(tool, { ...three, confirm: true });
  expect(row(structured.students)['new@example.com']).toBe('already_there: it was granted a moment ago');
  expect(await grantsIn(guarded)).toEqual([1, 1, 1]);
});
