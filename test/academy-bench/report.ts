import { count } from '../bench/figures.ts';
import type { Run } from './players.ts';
import { kinds, type Task } from './task.ts';

export interface Report {
  readonly player: string;
  readonly server: string;
  readonly date: string;
  readonly commit: string;
  readonly runs: number;
  readonly tasks: readonly { readonly task: Pick<Task, 'name' | 'kind'>; readonly runs: readonly Run[] }[];
}

/** The chance that all of `k` plays pass, from `passed` of `n`: C(passed, k) / C(n, k). */
export function passHat(passed: number, n: number, k: number): number {
  let chance = 1;
  for (let index = 0; index < k; index += 1) chance *= Math.max(0, passed - index) / (n - index);
  return chance;
}

export function interval(passed: number, n: number): readonly [low: number, high: number] {
  const solve = (isTooLow: (p: number) => boolean) => {
    let [low, high] = [0, 1];
    for (let step = 0; step < 50; step += 1) {
      const middle = (low + high) / 2;
      if (isTooLow(middle)) low = middle;
      else high = middle;
    }
    return low;
  };
  const low = passed === 0 ? 0 : solve((p) => 1 - atMost(passed - 1, n, p) < 0.025);
  const high = passed === n ? 1 : solve((p) => atMost(passed, n, p) > 0.025);
  return [low, high];
}

function atMost(most: number, n: number, p: number): number {
  let term = (1 - p) ** n;
  let sum = term;
  for (let index = 1; index <= most; index += 1) {
    term *= ((n - index + 1) / index) * (p / (1 - p));
    sum += term;
  }
  return sum;
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
const percent = (share: number) => `${Math.round(100 * share)} %`;
const passedOf = (runs: readonly Run[]) => runs.filter(({ reward }) => reward === 1).length;

type Rated = Report['tasks'];

const stepsOf = (n: number) => (n === 1 ? [1] : [1, n]);

function rowOf(name: string, tasks: Rated, n: number): string[] {
  const runs = tasks.flatMap((one) => one.runs);
  const known = (values: readonly (number | undefined)[]) =>
    values.some((value) => value === undefined) ? 'not known' : count(mean(values.map((value) => value ?? 0)));
  const hat = (k: number) => percent(mean(tasks.map((one) => passHat(passedOf(one.runs), n, k))));
  const costs = [known(runs.map(({ calls }) => calls)), known(runs.map(({ tokens }) => tokens))];
  const others = [count(mean(runs.map(({ requests }) => requests))), count(mean(runs.map(({ seconds }) => seconds)))];
  const wrong = runs.reduce((sum, { wrongWrites }) => sum + wrongWrites, 0);
  return [name, count(tasks.length), ...stepsOf(n).map(hat), ...costs, ...others, count(wrong)];
}

/** What `n` plays can and cannot show. */
function limitsOf({ tasks, runs: n }: Report): string {
  const always = tasks.filter(({ runs }) => passedOf(runs) === n).length;
  const [low, high] = interval(always, tasks.length);
  const [least] = interval(n, n);
  return [
    `Solved in every run: ${always} of ${tasks.length} tasks (95 % interval ${percent(low)} to ${percent(high)}).`,
    `A task with ${n} of ${n} passes has a rate of at least ${percent(least)} (95 %): ${n} runs cannot show more.`,
    'Two servers differ only if their intervals say so. The academy is invented and the tasks are ours: they show the cost and the errors of these tools, not the rank of a model.',
  ].join(' ');
}

export function pageOf(report: Report): string {
  const { player, server, date, commit, runs: n, tasks } = report;
  const columns = [
    'Kind',
    'Tasks',
    ...stepsOf(n).map((k) => `pass^${k}`),
    'Calls',
    'Tokens',
    'Requests',
    'Seconds',
    'Wrong writes',
  ];
  const ofKind = kinds
    .map((kind) => [kind, tasks.filter(({ task }) => task.kind === kind)] as const)
    .filter(([, some]) => some.length > 0);
  const rows = [...ofKind.map(([kind, some]) => rowOf(kind, some, n)), rowOf('all', tasks, n)];
  const table = [columns, columns.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  const failed = tasks.flatMap(({ task, runs }) =>
    runs.flatMap(({ failures }, index) =>
      failures.slice(0, 3).map(({ rule, what }) => `- ${task.name}, run ${index + 1}, ${rule}: ${what}`),
    ),
  );
  const head = `# academy-bench: ${player} through ${server}\n\n${date}, commit ${commit}, ${n} runs of ${tasks.length} tasks. Calls, tokens, requests and seconds are means of a run.`;
  const why = failed.length === 0 ? [] : ['## Why runs failed', failed.join('\n')];
  return `${[head, table.join('\n'), limitsOf(report), ...why].join('\n\n')}\n`;
}
