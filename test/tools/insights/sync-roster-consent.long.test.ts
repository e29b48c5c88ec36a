import { setTimeout as sleep } from 'node:timers/promises';
import type { ElicitResult } from '@modelcontextprotocol/sdk/types.js';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Act } from '../../reliability/fault.ts';
import { answerBytes } from '../../reliability/raw-http.ts';
import { at } from '../../support/academy.ts';
import type { Human } from '../../support/connect.ts';
import { codeIn, startGuarded } from '../../support/guarded.ts';
import { callMessage, openSession, post, startHttp } from '../../support/http-server.ts';
import { startIdentityProvider } from '../../support/identity-provider.ts';
import { expectPlan, expectRefusal } from '../../support/refusal.ts';

const name = 'sync_roster';

function listOf(length: number, domain = 'example.com') {
  return Array.from({ length }, (_, index) => ({ email: `person${index}@${domain}`, name: `Person ${index}` }));
}

const asked = { students: listOf(3), product: 'course 1' };
const agreeing = (agree: boolean): ElicitResult => ({ action: 'accept', content: { agree } });

test.for([
  ['argument', 'applied', 'applied'],
  ['auto', 'applied', 'asked'],
  ['human', 'declined', 'asked'],
  ['block', 'declined', 'declined'],
] as const)('under %s a confirmed list is %s where nobody can be asked, else %s', async ([policy, alone, beside]) => {
  for (const [human, expected] of [
    [undefined, alone],
    [true, beside],
    [false, beside],
  ] as const) {
    const questions: string[] = [];
    const answers: Human = ({ message }) => {
      questions.push(message);
      return agreeing(human === true);
    };
    const options = human === undefined ? {} : { human: answers };
    const { call, writes } = await startGuarded({ ACADEMY_CONFIRM: policy }, options);
    const unasked = await call(name, asked);
    if (policy === 'block') expectRefusal(unasked, 'declined');
    else expectPlan(unasked);
    expect([questions, writes()]).toEqual([[], []]);
    const answer = await call(name, { ...asked, confirm: true });
    const isDone = expected === 'applied' || (expected === 'asked' && human === true);
    if (isDone) expect(answer.structured?.totals).toEqual({ applied: 3 });
    else expectRefusal(answer, 'declined');
    expect(writes()).toHaveLength(isDone ? 3 : 0);
    expect(questions).toHaveLength(expected === 'asked' ? 1 : 0);
    for (const question of questions) {
      expect(question).toContain('To enroll: 3 students, 3 of them new.');
      for (const { email } of asked.students) expect(question).toContain(email);
    }
  }
});

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
  const { call, between, writes } = await startGuarded({ ACADEMY_CONFIRM: 'preview' });
  const confirm = codeIn(expectPlan(await call(name, asked)));
  const slow: Act = {
    at: 'body',
    act: async ({ socket, work }) => {
      vi.setSystemTime(Date.now() + 4 * minutes);
      socket.write(answerBytes(await work()));
    },
  };
  between.arm({ name: 'slow', fault: slow, match: (_method, path) => path.includes('/details') });
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

test('a token needs academy:access', async () => {
  const provider = await startIdentityProvider();
  const aud = 'https://mcp.example.com/mcp';
  const server = await startHttp({ ACADEMY_OAUTH_ISSUER: provider.issuer, ACADEMY_OAUTH_AUDIENCE: aud });
  const answerFor = async (scope: string) => {
    const headers = await openSession(server.url, {
      authorization: `Bearer ${await provider.issue({ aud, scope })}`,
    });
    const { json } = await post(server.url, callMessage(2, name, { ...asked, confirm: true }), headers);
    return json.result as { isError?: boolean; content: { text: string }[] };
  };
  for (const scope of ['academy:read', 'academy:read academy:write']) {
    const { isError, content } = await answerFor(scope);
    expect([scope, isError]).toEqual([scope, true]);
    expect(at(content, 0).text).toContain('academy:access');
    expect(server.sandbox.academy.students.withEmail('person0@example.com')).toBeUndefined();
  }
  expect((await answerFor('academy:access')).isError).toBeUndefined();
  expect(server.sandbox.academy.students.withEmail('person2@example.com')).toBeDefined();
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
    act: async ({ socket, work }) => {
      ending.abort();
      await sleep(100);
      socket.write(answerBytes(await work()));
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
