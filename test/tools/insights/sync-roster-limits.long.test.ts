import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { expect, test } from 'vitest';
import { row } from '../../support/academy.ts';
import { addOrder, altering, down, newcomer } from '../../support/arrange.ts';
import { type Human, readAnswer, type ToolAnswer } from '../../support/connect.ts';
import { startGuarded } from '../../support/guarded.ts';
import { expectPlan, expectRefusal } from '../../support/refusal.ts';

const tool = 'sync_roster';

/** The API counts a window of a second and a half, and no call waits for its turn for long. */
function startLimited(rateLimit: number, settings: Record<string, string> = {}) {
  const impatient = { ACADEMY_MAX_WAIT_MS: '100', ACADEMY_PREFLIGHT: 'true', ...settings };
  return startGuarded(impatient, {}, { rateLimit, windowMs: 1_500 });
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
    const limited = await startLimited(60);
    const hide = altering(({ paid_orders: _, ...student }) => student);
    const isDetails = (_method: string, path: string) => path.includes('/details');
    if (shows === 'does not show') limited.between.arm({ name: 'hide', fault: hide, match: isDetails, times: 1_000 });
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
  const { call, between, writes } = await startGuarded(settings, { human });
  between.arm({ name: 'down', fault: down, match: (_method, path) => path.includes('/details'), times: 100 });
  const asked = { students: [{ email: 'new@example.com', name: 'New One' }], product: 'course 1' };
  const text = expectRefusal(await call(tool, asked), 'api_unavailable');
  expect(text).toContain('Outcome: not_applied');
  expect(text).not.toMatch(/confirm:|Show this/);
  if (policy !== 'preview') expectRefusal(await call(tool, { ...asked, confirm: true }), 'api_unavailable');
  expect([questions, writes()]).toEqual([[], []]);
});
