import type { Over } from '../built-program.ts';
import { type CaseResult, runCase, type Task } from '../f1/case.ts';
import type { Setup } from '../f1/setup.ts';
import { setups } from '../f1/setups.ts';
import { classes } from '../fault.ts';
import { faultKinds } from '../faults.ts';
import { type Figure, type FigureResult, firstFailures, type Size } from '../figure.ts';

/** A clock jump has two cases: forward and back. */
const rounds = (name: string) => (name.startsWith('clock jump') ? 2 : 1);

/** Cases in which the program checks for its effect for 15 s; the short form leaves them out. */
const isSlow = ({ kind, repeat }: Task) => kind.says[repeat].some(({ outcome }) => outcome === 'outcome_unknown');

function tasksFor(setup: Setup, size: Size): Task[] {
  const kinds = faultKinds.filter((kind) => setup.takes(kind) && (size === 'whole' || kind.short));
  const tasks = kinds.flatMap((kind, variant) =>
    classes.flatMap((repeat) => Array.from({ length: rounds(kind.name) }, () => ({ kind, repeat, variant }))),
  );
  const slow = tasks.filter(isSlow);
  // The slow ones start first, so that others run while they wait.
  return [...(size === 'whole' ? slow : []), ...tasks.filter((task) => !isSlow(task))];
}

/** Runs tasks until none is left. */
async function lane(setup: Setup, over: Over, tasks: Task[], tag: string): Promise<CaseResult[]> {
  const bench = await setup.open(over);
  const used = new Set<object>();
  const results: CaseResult[] = [];
  try {
    for (let task = tasks.shift(); task !== undefined; task = tasks.shift()) {
      const number = `${tag}-${results.length + 1}`;
      const name = `${task.kind.name} x ${task.repeat}, over ${over}`;
      const result = await runCase(bench, setup, task, number, used).catch((error: unknown) => ({
        name,
        said: 'no answer',
        problems: [error instanceof Error ? error.message : String(error), bench.harness.program.lastWords()],
        operation: undefined,
      }));
      results.push(result);
    }
    return results.map(doneTwice);
  } finally {
    await bench.harness.close();
  }
}

/** Checks at the very end that no write was done a second time meanwhile. */
function doneTwice(result: CaseResult): CaseResult {
  const count = result.operation?.count() ?? 0;
  return count > 1 ? { ...result, problems: [...result.problems, `done ${count} times in the end`] } : result;
}

async function runSetup(setup: Setup, over: Over, size: Size, seed: number): Promise<CaseResult[]> {
  const tasks = tasksFor(setup, size);
  const lanes = Math.min(setup.lanes, Math.ceil(tasks.length / 2));
  const tag = `${over}-${setups.indexOf(setup)}-${seed}`.toLowerCase();
  const running = Array.from({ length: lanes }, (_, number) => lane(setup, over, tasks, `f1-${tag}-${number}`));
  return (await Promise.all(running)).flat();
}

const details = [
  '`test/reliability/faults/` describes how each fault is made, and what a correct client reports after it',
  'a preloaded file makes two faults inside the process of the program: a slow resolver (dns.lookup) and a changed clock (Date); all others act on its sockets, its process or its files',
  'DNS fail lasts as long as the program: the next call must return the same correct error instead of succeeding',
  'the writes include sync_roster, with one new student and one who already has access, and apply_course_outline, with one title: the result and the error code of each part are checked. Of composite reads, only their single requests are tried',
  'the fault "keep-alive closed under us" cannot reach a write, because each write has its own connection: the check is that the write is done once',
  'a 200 with an HTML page proves nothing: the program checks for the effect, and reports `outcome_unknown` if the API does not show it',
];

async function run(size: Size, seed: number): Promise<FigureResult> {
  const results: CaseResult[] = [];
  for (const over of ['stdio', 'HTTP'] as const) {
    results.push(...(await Promise.all(setups.map((setup) => runSetup(setup, over, size, seed)))).flat());
  }
  const failed = results.filter(({ problems }) => problems.length > 0);
  const leftOut = size === 'whole' ? '' : ', except those in which the program checks for its effect for 15 s';
  const kinds = size === 'whole' ? faultKinds : faultKinds.filter(({ short }) => short);
  return {
    tried: `${results.length} cases: ${kinds.length} kinds of fault x the classes R, I, N, D x stdio and HTTP (a clock jump both ways, a full disk for the log and for the audit log)${leftOut}`,
    result: `${results.length - failed.length} of ${results.length} survived`,
    reached: failed.length === 0,
    details,
    failures: firstFailures(failed.map(({ name, problems }) => `seed ${seed}, ${name}: ${problems.join('; ')}`)),
  };
}

export const figure: Figure = {
  id: 'F1',
  title: 'Faults survived',
  target:
    'in all cases: the process survives, the error code and the reported outcome are correct, the next call succeeds, no token is lost',
  run,
};
