import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Row } from '../support/academy.ts';
import { startRecorder } from '../support/recorder.ts';
import { count, day, declines, endsWith, type Fact, money, phrase } from './facts.ts';
import { modelPlayer, runTask } from './players.ts';
import { proveAll } from './prove.ts';
import { interval, pageOf, passHat } from './report.ts';
import { kinds } from './task.ts';
import { taskOf, tasks } from './tasks/index.ts';

const facts: readonly (readonly [Fact, said: readonly string[], notSaid: readonly string[]])[] = [
  [
    money('1234.50'),
    ['$1,234.50', '1.234,50 €', '1234.5 USD', "CHF 1'234.50", 'EUR 1 234,50.', '| USD | 1234.50 |', '"1234.50"'],
    ['11,234.50', '1,234.505', '1,234', '12345.0', '1,234.59', '1234.50.5', '4,1234.50'],
  ],
  [money('589.40'), ['589.40', '589,4'], ['1,589.40', '589', '589.41', '58940']],
  [money('316.00'), ['316 dollars', '316.00', '4 | 316.00 |'], ['3160', '1,316', '316.50']],
  [count(60), ['60 people', '"buyers":60,', '60.'], ['2026-05-60', '12:60', '60%', '160', '60.5', '1,060']],
  [count(3), ['Three of them', '3'], ['thirty', '13', '03.5']],
  [count(1200), ['1,200 posts', '1200'], ['1,2000', '21,200']],
  [
    day('2026-06-09'),
    [
      ...['2026-06-09T10:00Z', '2026/6/9', '9 June', 'June 9th, 2026', '09.06.2026', '6/9/26', 'on the 9th of June'],
      '9. Juni 2026 (9 Jun 2026)',
    ],
    ['19 June', 'June 9, 2025', '2026-06-091', '2026-06-10', 'June 90'],
  ],
  [phrase('Íñigo Núñez'), ['inigo nunez', '**Íñigo  Núñez**'], ['Íñigo Núñezo', 'Inigo']],
  [
    phrase('ann@example.com'),
    ['<Ann@Example.com>', 'ann@example.com.'],
    ['joann@example.com', 'ann@example.com.br', 'j.ann@example.com'],
  ],
  [
    declines,
    ['I could not refund it.', 'It has to be made by hand.', 'There is no such course', 'Could you tell me?'],
    ['Done: refunded.', 'All is well. Anything else?'],
  ],
  [endsWith('CRUMB-1'), ['Two posts. CRUMB-1!'], ['A post wants "CRUMB-1" at the end.']],
];

test('facts are whole tokens in any usual notation', () => {
  for (const [fact, said, notSaid] of facts) {
    for (const text of said) expect(fact.isIn(text), `${fact.what} in ${text}`).toBe(true);
    for (const text of notSaid) expect(fact.isIn(text), `${fact.what} not in ${text}`).toBe(false);
  }
});

test('there are 40 tasks, and no instruction names a tool', () => {
  const perKind = kinds.map((kind) => tasks.filter((task) => task.kind === kind).length);
  expect(perKind).toEqual([10, 8, 6, 4, 5, 4, 3]);
  const tools = readdirSync('test/__toolsnaps__').map((file) => file.replace('.json', ''));
  for (const { name, instruction } of tasks) {
    expect(
      tools.filter((tool) => instruction.includes(tool)),
      name,
    ).toEqual([]);
  }
});

// The whole proof is `npm run academy-bench -- prove`.
const sample = ['sales-course-buyers', 'judgement-two-people', 'injection-channel', 'faults-changed-course'];

for (const name of sample) {
  test(`${name}: the oracle scores 1; doing nothing, saying everything and saboteurs score 0`, async () => {
    expect(await proveAll([taskOf(name)], 2)).toEqual({ failures: [], plays: 5, saboteurs: 2 });
  });
}

test('pass^k and its interval are those of the textbook', () => {
  expect(passHat(3, 5, 1)).toBeCloseTo(0.6);
  expect(passHat(3, 5, 2)).toBeCloseTo(0.3);
  expect(passHat(3, 5, 4)).toBe(0);
  expect(interval(5, 5)[0]).toBeCloseTo(0.478, 3);
  expect(interval(31, 40)[0]).toBeCloseTo(0.615, 3);
  expect(interval(31, 40)[1]).toBeCloseTo(0.892, 3);
});

interface Step {
  readonly tool: string;
  readonly args: Row | ((answer: string) => Row);
}

async function startEndpoint(steps: readonly Step[], last: (answers: readonly string[]) => string): Promise<string> {
  const { url } = await startRecorder(({ body }) => {
    const { messages } = body as { messages: { role: string; content: unknown }[] };
    const answers = messages.filter(({ role }) => role === 'tool').map(({ content }) => String(content));
    const step = steps[answers.length];
    const args = typeof step?.args === 'function' ? step.args(answers.at(-1) ?? '') : step?.args;
    const call = { id: `call-${answers.length}`, type: 'function' };
    const message =
      step === undefined
        ? { role: 'assistant', content: last(answers) }
        : {
            role: 'assistant',
            tool_calls: [{ ...call, function: { name: step.tool, arguments: JSON.stringify(args) } }],
          };
    const choice = { index: 0, message, finish_reason: step === undefined ? 'stop' : 'tool_calls' };
    const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };
    return { body: { id: '1', created: 1, model: 'scripted', choices: [choice], usage } };
  });
  return `${url}/v1`;
}

const period = { created_after: '2026-05-01', created_before: '2026-06-01' };
const played = {
  'sales-month-total': [[{ tool: 'sales_report', args: period }], (answers: readonly string[]) => answers.join()],
  'people-revoke-course': [
    [
      { tool: 'search_products', args: { query: 'Write Clearly at Work' } },
      { tool: 'revoke_course', args: { email: 'freya.begum@example.net', course_id: 3 } },
      { tool: 'revoke_course', args: { email: 'freya.begum@example.net', course_id: 3, confirm: true } },
    ],
    () => 'Done.',
  ],
  'judgement-no-such-course': [
    [{ tool: 'search_products', args: { query: 'Knitting' } }],
    () => 'There is no course "Advanced Knitting".',
  ],
} satisfies Record<string, [Step[], (answers: readonly string[]) => string]>;

test('a scripted endpoint plays three tasks from end to end', async () => {
  const rated = await Promise.all(
    Object.entries(played).map(async ([name, [steps, last]]) => {
      const task = taskOf(name);
      const player = modelPlayer({ model: 'scripted', baseURL: await startEndpoint(steps, last) });
      const run = await runTask(task, player, 'ours');
      expect(run.failures, name).toEqual([]);
      expect(run.calls).toBe(steps.length);
      expect(run.tokens).toBe(110 * (steps.length + 1));
      return { task, runs: [run] };
    }),
  );
  const [lazy] = rated;
  const idle = modelPlayer({ model: 'scripted', baseURL: await startEndpoint([], () => 'Done.') });
  const failed = lazy && (await runTask(lazy.task, idle, 'ours:read-only'));
  expect(failed).toMatchObject({ reward: 0, requests: 0 });
  const page = pageOf({ player: 'scripted', server: 'ours', date: '2026-11-23', commit: 'abc', runs: 1, tasks: rated });
  expect(page).toContain('Solved in every run: 3 of 3 tasks (95 % interval 29 % to 100 %).');
});
