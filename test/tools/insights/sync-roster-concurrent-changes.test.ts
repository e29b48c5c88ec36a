import type { ElicitResult } from '@modelcontextprotocol/sdk/types.js';
import { expect, test } from 'vitest';
import type { Act } from '../../reliability/fault.ts';
import { answerBytes } from '../../reliability/raw-http.ts';
import { row } from '../../support/academy.ts';
import { addOrder, altering, newcomer } from '../../support/arrange.ts';
import { codeIn, type Guarded, startGuarded } from '../../support/guarded.ts';
import { expectPlan, requestsOf } from '../../support/refusal.ts';
import { rawOrders } from '../../support/sales.ts';

// What happens between a plan and its confirmation, or between a look at a student and their enrollment.

const tool = 'sync_roster';
const emails = ['new@example.com', 'there@example.com', 'holder@example.com'];
const asked = { students: emails.map((email) => ({ email, name: 'Ina Newcomer' })), product: 'course 1' };

/** One who is new, one who is there, and one who holds course 1. */
async function startWithThree(settings: Record<string, string> = {}, human?: () => ElicitResult) {
  const guarded = await startGuarded(settings, human === undefined ? {} : { human });
  newcomer(guarded.sandbox, 'there@example.com');
  addOrder(guarded.sandbox, newcomer(guarded.sandbox, 'holder@example.com'), { courses: [1] });
  return guarded;
}

/** How many orders give course 1 to each of the three. */
async function ordersIn({ sandbox }: Guarded): Promise<number[]> {
  const orders = await rawOrders(sandbox);
  const isOfCourse = (order: (typeof orders)[number]) => order.courses.some(({ id }) => id === 1);
  return emails.map((email) => orders.filter((order) => order.user_email === email && isOfCourse(order)).length);
}

test.for(['true', 'false'])(
  'with ACADEMY_PREFLIGHT=%s, a student who bought since the plan is skipped, and one who lost access is enrolled',
  async (preflight) => {
    const guarded = await startWithThree({ ACADEMY_PREFLIGHT: preflight });
    const { sandbox, call, writes } = guarded;
    expectPlan(await call(tool, asked));
    const there = sandbox.academy.students.withEmail('there@example.com');
    if (there !== undefined) addOrder(sandbox, there, { courses: [1] });
    await call('revoke_course', { ...asked.students[2], course_id: 1, confirm: true });
    const before = writes().length;
    const { structured = {} } = await call(tool, { ...asked, confirm: true });
    expect(structured.students).toEqual({
      'new@example.com': 'applied',
      'there@example.com': 'already_there: already holds it',
      'holder@example.com': 'applied',
    });
    expect(writes()).toHaveLength(before + 2);
    expect(await ordersIn(guarded)).toEqual([1, 1, 1]);
  },
);

test('a student who buys while the one before is enrolled is skipped', async () => {
  const guarded = await startWithThree();
  const { sandbox, call, between } = guarded;
  expectPlan(await call(tool, asked));
  const buying: Act = {
    at: 'body',
    act: async ({ socket, work }) => {
      const enrolled = await work();
      const there = sandbox.academy.students.withEmail('there@example.com');
      if (there !== undefined) addOrder(sandbox, there, { courses: [1] });
      socket.write(answerBytes(enrolled));
    },
  };
  between.arm({ name: 'buying', fault: buying, match: (method) => method === 'POST' });
  const { structured = {} } = await call(tool, { ...asked, confirm: true });
  expect(structured.students).toMatchObject({
    'new@example.com': 'applied',
    'there@example.com': 'already_there: already holds it',
  });
  expect(await ordersIn(guarded)).toEqual([1, 1, 1]);
});

test('a caller cannot use the plan of another caller', async () => {
  const guarded = await startWithThree();
  const other = await guarded.another({ caller: 'other' });
  await other.call(tool, asked);
  const theirs = { students: asked.students.slice(0, 2), product: 'course 1', confirm: true };
  expect((await other.call(tool, theirs)).structured?.totals).toEqual({ applied: 2 });
  const { structured = {} } = await guarded.call(tool, { ...asked, confirm: true });
  expect(structured.totals).toEqual({ already_there: 3 });
  expect(await ordersIn(guarded)).toEqual([1, 1, 1]);
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
  const { call, between } = guarded;
  const hide: Act = altering(({ paid_orders: _, ...student }) => student);
  const isDetails = (_method: string, path: string) => path.includes('/details');
  if (paidOrders === 'not shown') between.arm({ name: 'hide', fault: hide, match: isDetails, times: 100 });
  const plan = expectPlan(await call(tool, asked));
  const cost = Number(/^Cost: at most (\d+) requests/m.exec(plan)?.[1]);
  const confirm = policy === 'preview' ? codeIn(plan) : true;
  const answer = await call(tool, { ...asked, confirm });
  expect(answer.structured?.totals, answer.text).toEqual({ applied: 2, already_there: 1 });
  expect(requestsOf(answer)).toBe(cost);
  expect(row(answer.structured).requests_spent).toBe(cost);
});

test('callers who enroll the same list at the same time create one order per student', async () => {
  const guarded = await startWithThree({ ACADEMY_PREFLIGHT: 'true' });
  const others = await Promise.all([1, 2, 3].map((number) => guarded.another({ caller: `caller ${number}` })));
  const answers = await Promise.all(others.map(({ call }) => call(tool, { ...asked, confirm: true })));
  for (const { text } of answers) expect(text).not.toMatch(/failed|unknown/);
  expect(await ordersIn(guarded)).toEqual([1, 1, 1]);
});

test('a student whom another call enrolls after the check is not enrolled again', async () => {
  const guarded = await startWithThree();
  const { between, call } = guarded;
  const [newOne] = asked.students;
  const outdated: Act = {
    at: 'body',
    act: async ({ socket, work }) => {
      const seen = await work();
      // With rename it reads nothing first: an identical read would wait for this answer.
      await call('enroll_student', { ...newOne, course_id: 1, rename: true });
      socket.write(answerBytes(seen));
    },
  };
  between.arm({ name: 'outdated', fault: outdated, match: (_method, path) => path.includes('/details') });
  const { structured = {} } = await call(tool, { ...asked, confirm: true });
  expect(row(structured.students)['new@example.com']).toBe('already_there: it was granted a moment ago');
  expect(await ordersIn(guarded)).toEqual([1, 1, 1]);
});
