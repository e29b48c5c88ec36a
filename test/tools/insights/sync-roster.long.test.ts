import { setTimeout as sleep } from 'node:timers/promises';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Act } from '../../reliability/fault-server.ts';
import { at, row } from '../../support/academy.ts';
import { addOrder, altering, down, newcomer } from '../../support/arrange.ts';
import { holdersIn, many, product, startClass } from '../../support/class-academy.ts';
import { type Human, readAnswer, type ToolAnswer } from '../../support/connect.ts';
import { codeIn, startGuarded } from '../../support/guarded.ts';
import { expectPlan, expectRefusal } from '../../support/refusal.ts';

const name = 'sync_roster';

function listOf(length: number, domain = 'example.com') {
  return Array.from({ length }, (_, index) => ({ email: `person${index}@${domain}`, name: `Person ${index}` }));
}

const asked = { students: listOf(3), product: 'course 1' };

test("under preview the plan's code confirms only this list, even while the rate limit applies", async () => {
  // Each look at a list spends requests: the last plan stands before a smaller budget than the first.
  const settings = { ACADEMY_CONFIRM: 'preview', ACADEMY_RATE_LIMIT: '60', ACADEMY_RATE_SHARE: '0.65' };
  const { call, writes } = await startGuarded(settings);
  const list = { students: listOf(5), product: 'course 1' };
  const confirm = codeIn(expectPlan(await call(name, list)));
  const other = { ...list, students: listOf(6) };
  expectRefusal(await call(name, { ...other, confirm }), 'confirmation_required');
  expectRefusal(await call(name, { ...list, confirm: 'AAAAAAAAAAAAAAAAAAAAAAAA' }), 'confirmation_required');
  expect(writes()).toEqual([]);
  const { structured, text } = await call(name, { ...list, confirm });
  expect(structured?.totals, text).toEqual({ applied: 5 });
  expect(writes()).toHaveLength(5);
});

const minutes = 60_000;

test('under preview a code that is valid when the call arrives stays valid however long the plan takes', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const { call, onPath, writes } = await startGuarded({ ACADEMY_CONFIRM: 'preview' });
  const confirm = codeIn(expectPlan(await call(name, asked)));
  const slow: Act = {
    at: 'body',
    act: async ({ answer, work }) => {
      vi.setSystemTime(Date.now() + 4 * minutes);
      answer(await work());
    },
  };
  onPath('/details', slow, 1);
  vi.setSystemTime(Date.now() + 4 * minutes);
  const { structured, text } = await call(name, { ...asked, confirm });
  expect(structured?.totals, text).toEqual({ applied: 3 });

  const list = { ...asked, students: listOf(2, 'example.net') };
  const late = codeIn(expectPlan(await call(name, list)));
  vi.setSystemTime(Date.now() + 6 * minutes);
  const refused = expectRefusal(await call(name, { ...list, confirm: late }), 'confirmation_required');
  expect(refused).toContain('the code has expired');
  expect(writes()).toHaveLength(3);
});

test('a plan for 200 students with long emails names each of them', async () => {
  const { call } = await startGuarded();
  const students = listOf(200, 'a-college-with-a-long-name.of-a-university.example.com').map(({ email }) => ({
    email,
  }));
  const due = { email: 'due@example.com', name: 'Due' };
  const list = [...students.slice(1), due];
  const text = expectPlan(await call(name, { students: list, product: 'bundle 1' }));
  expect(students.slice(1).filter(({ email }) => !text.includes(`${email} (a new student needs a name)`))).toEqual([]);
});

test('progress rises with each student, to the last', async () => {
  const { client } = await startGuarded();
  const heard: { progress: number; total?: number | undefined; message?: string | undefined }[] = [];
  const onprogress = (said: (typeof heard)[number]) => void heard.push(said);
  const params = { name, arguments: { students: listOf(6), product: 'course 1', confirm: true } };
  await client.callTool(params, undefined, { onprogress });
  const values = heard.map(({ progress }) => progress);
  expect(values.every((value, index) => index === 0 || value > at(values, index - 1))).toBe(true);
  const students = heard.flatMap(({ message = '' }) => /^(\d) of 6 students$/.exec(message)?.[1] ?? []);
  expect(students).toEqual(['1', '2', '3', '4', '5', '6']);
  for (const { progress, total = 0 } of heard) expect(progress).toBeLessThanOrEqual(total);
});

test('a call that is cancelled finishes the current student and starts no other; the list continues later', async () => {
  const { sandbox, client, call, between, writes } = await startGuarded();
  const ending = new AbortController();
  const late: Act = {
    at: 'body',
    act: async ({ answer, work }) => {
      ending.abort();
      await sleep(100);
      answer(await work());
    },
  };
  const list = { students: listOf(4), product: 'course 1', confirm: true };
  const isSecond = (method: string, _path: string, body: string) => method === 'POST' && body.includes('person1@');
  between.arm({ name: 'late', fault: late, match: isSecond });
  const calling = client.callTool({ name, arguments: list }, undefined, { signal: ending.signal });
  await expect(calling).rejects.toThrow();
  const isThere = (index: number) => sandbox.academy.students.withEmail(`person${index}@example.com`) !== undefined;
  await expect.poll(() => isThere(1), { timeout: 5_000 }).toBe(true);
  await sleep(100);
  expect([0, 1, 2, 3].map(isThere)).toEqual([true, true, false, false]);
  expect(writes()).toHaveLength(2);
  expect((await call(name, list)).structured?.totals).toEqual({ applied: 2, already_there: 2 });
});

const tool = 'sync_roster';

/** The API counts a window of a second and a half, and no call waits for its turn for long. */
function startLimited(rateLimit: number, windowMs = 1_500) {
  const impatient = { ACADEMY_MAX_WAIT_MS: '100', ACADEMY_PREFLIGHT: 'true' };
  return startGuarded(impatient, {}, { rateLimit, windowMs });
}

type Limited = Awaited<ReturnType<typeof startLimited>>;

/** Forty people, of whom the first seven hold course 1. */
function fortyIn({ sandbox }: Limited) {
  const people = Array.from({ length: 40 }, (_, index) => ({ email: `p${index}@example.com`, name: `P ${index}` }));
  for (const { email } of people.slice(0, 7)) addOrder(sandbox, newcomer(sandbox, email), { courses: [1] });
  return people;
}

async function toldBy({ client }: Limited, args: object): Promise<{ told: string[]; answer: ToolAnswer }> {
  const told: string[] = [];
  const onprogress = ({ message = '' }) => void told.push(message);
  const params = { name: tool, arguments: { ...args } };
  const answer = (await client.callTool(params, undefined, { onprogress })) as CallToolResult;
  return { told, answer: readAnswer(answer) };
}

const waitedBy = ({ meta }: ToolAnswer) => Number(row(meta['academy/budget']).waited_s);

test('the cost reports the seconds that a list waits for the rate limit, and counts concurrent waits once', async () => {
  const limited = await startLimited(20);
  const students = fortyIn(limited);
  const beginning = performance.now();
  const { told, answer } = await toldBy(limited, {
    students: students.slice(0, 20),
    product: 'course 1',
    confirm: true,
  });
  const slept = told.map((message) => Number(/^waiting (\d+) s/.exec(message)?.[1] ?? 0));
  expect(slept.reduce((sum, seconds) => sum + seconds)).toBeGreaterThan(0);
  expect(waitedBy(answer)).toBeGreaterThanOrEqual(slept.reduce((sum, seconds) => sum + seconds));
  // A plan looks at four at once.
  const plan = await toldBy(limited, { students, product: 'bundle 1' });
  expect(waitedBy(plan.answer)).toBeGreaterThan(0);
  const seconds = Math.ceil((performance.now() - beginning) / 1000);
  expect(waitedBy(answer) + waitedBy(plan.answer)).toBeLessThanOrEqual(seconds);
});

const waiting = /^waiting \d+ s for the request limit$/;

test.for(['shows', 'does not show'])(
  'if the API %s paid orders, enrolling waits for the rate limit, reports it, and reaches every student',
  async (shows) => {
    // In a shorter window a slow machine would never reach the limit.
    const limited = await startLimited(60, 10_000);
    const hide = altering(({ paid_orders: _, ...student }) => student);
    if (shows === 'does not show') limited.onPath('/details', hide);
    const students = fortyIn(limited);
    const { told, answer } = await toldBy(limited, { students, product: 'course 1', confirm: true });
    expect(answer.structured).toMatchObject({ totals: { applied: 33, already_there: 7 } });
    expect(told).toContainEqual(expect.stringMatching(waiting));
  },
);

test('an enrollment that meets an exhausted rate limit says how long to wait, and that nothing was changed', async () => {
  const { sandbox, call, writes } = await startLimited(1);
  newcomer(sandbox, 'there@example.com');
  await call('list_roles');
  const answer = await call('enroll_student', { email: 'there@example.com', course_id: 1 });
  const text = expectRefusal(answer, 'rate_limited');
  expect(text).toMatch(/nothing was changed/);
  expect(text).toMatch(/Try again in \d+ s/);
  expect(text).toContain('Outcome: not_applied');
  expect(writes()).toEqual([]);
});

test('a plan requested under an exhausted rate limit waits for it, and is complete', async () => {
  const limited = await startLimited(10);
  const students = fortyIn(limited).slice(5, 15);
  for (let spent = 0; spent < 10; spent += 1) await limited.call('list_roles');
  const { told, answer } = await toldBy(limited, { students, products: ['course 1', 'bundle 1'] });
  const text = expectPlan(answer);
  expect(told).toContainEqual(expect.stringMatching(waiting));
  expect(text).toContain('To enroll: 10 students, 8 of them new.');
});

test('a destructive call under an exhausted rate limit is rate_limited and asks for no consent', async () => {
  const { sandbox, call, writes } = await startLimited(1);
  const { email, name } = newcomer(sandbox);
  await call('list_roles');
  const text = expectRefusal(await call('revoke_course', { email, name, course_id: 1 }), 'rate_limited');
  expect(text).toMatch(/Try again in \d+ s/);
  expect(text).toContain('Outcome: not_applied');
  expect(text).not.toContain('confirm: true');
  expect(writes()).toEqual([]);
});

test.for(['auto', 'preview', 'human'])('under %s a plan that cannot be read asks for no consent', async (policy) => {
  const questions: unknown[] = [];
  const human: Human = (question) => {
    questions.push(question);
    return { action: 'accept', content: { agree: true } };
  };
  const settings = { ACADEMY_CONFIRM: policy, ACADEMY_TIMEOUT_MS: '300', ACADEMY_MAX_WAIT_MS: '300' };
  const { call, onPath, writes } = await startGuarded(settings, { human });
  onPath('/details', down);
  const asked = { students: [{ email: 'new@example.com', name: 'New One' }], product: 'course 1' };
  const text = expectRefusal(await call(tool, asked), 'api_unavailable');
  expect(text).toContain('Outcome: not_applied');
  expect(text).not.toMatch(/confirm:|Show this/);
  if (policy !== 'preview') expectRefusal(await call(tool, { ...asked, confirm: true }), 'api_unavailable');
  expect([questions, writes()]).toEqual([[], []]);
});

test('a long list goes on with its cursor, as one change that can be undone', async () => {
  const { sandbox, call } = await startClass(['stays@x.example', 'gone@x.example'], [], { ACADEMY_JOURNAL: 'memory' });
  const csv = ['email,name', 'stays@x.example,', ...many(201).map((email, index) => `${email},S ${index}`)].join('\n');
  const asked = { product, csv, remove: 'missing', confirm: true };
  const first = (await call(tool, asked)).structured ?? {};
  expect(first.totals).toEqual({ applied: 200, already_there: 1, not_started: 2 });
  expect(first.next).toMatch(/^call again with next_cursor/);
  expect(String(first.next_cursor).length).toBeLessThanOrEqual(120);
  expectRefusal(await call(tool, { ...asked, product: 'course 2', cursor: first.next_cursor }), 'invalid_input');
  const second = (await call(tool, { ...asked, cursor: first.next_cursor })).structured ?? {};
  expect(second.totals).toEqual({ applied: 1, already_there: 1, removed: 1 });
  expect(second.next_cursor).toBeUndefined();
  expect(second.change_id).toBe(first.change_id);
  expect(holdersIn(sandbox)).toHaveLength(202);
  const undone: unknown[] = [];
  let isLeft = true;
  while (isLeft && undone.length < 9) {
    const { structured = {} } = await call('undo_change', { change_ids: [first.change_id], confirm: true });
    undone.push(structured.totals);
    isLeft = structured.next !== undefined;
  }
  expect(undone).toEqual([{ undone: 100 }, { undone: 100 }, { undone: 2 }]);
  expect(holdersIn(sandbox)).toEqual(['gone@x.example', 'stays@x.example']);
});

test('a cursor with other arguments, or of a plan for another list, applies nothing of that plan', async () => {
  const { sandbox, call } = await startClass();
  const list = (name: string) =>
    ['email,name', ...many(201).map((email) => `${name}.${email},${name} ${email}`)].join('\n');
  const cursors: unknown[] = [];
  for (const name of ['a', 'b']) {
    cursors.push((await call(tool, { product, csv: list(name), confirm: true })).structured?.next_cursor);
  }
  const [, other] = cursors;
  expectRefusal(await call(tool, { product, csv: list('a'), cursor: other, confirm: true }), 'invalid_input');
  expect(holdersIn(sandbox)).toHaveLength(400);
});

test('a short list of several products that takes several calls is enrolled whole', async () => {
  const { sandbox, call } = await startClass();
  const students = many(110).map((email, index) => ({ email, name: `S ${index}` }));
  const asked = { products: ['course 1', 'course 3'], students, confirm: true };
  const { structured = {} } = await call(tool, asked);
  expect(structured.next).toMatch(/^call again with next_cursor/);
  const last = await call(tool, { ...asked, cursor: structured.next_cursor });
  expect(last.structured?.totals, last.text).toEqual({ applied: 20 });
  expect(sandbox.academy.orders.all().filter(({ courses }) => courses.length > 0)).toHaveLength(220);
});
