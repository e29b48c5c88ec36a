import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { inScope } from '../../support/at-end.ts';
import type { ToolAnswer } from '../../support/connect.ts';
import { type InPlace, open, type Setup, setups } from '../f1/setups.ts';
import type { LogEntry } from '../fault-server.ts';
import { classes, elsewhere, type FaultKind, faultKinds, type RepeatClass, type Said } from '../faults.ts';
import type { Figure, Size } from '../figure.ts';
import { claimOf, isCalled, lies, makers, type ToolOperation } from '../operations.ts';
import type { Harness, Over } from '../programs.ts';

/** A token returns this long after the answer to its request, in milliseconds. */
const holdMs = 60_600;
/** Maximum time from a request's arrival at the server to its end at the client: a timeout and some delay. */
const maxRequestMs = 6_000;
const slackMs = 300;

/**
 * The minimum and maximum of spent tokens, by the requests at the server: one for each request of the last minute.
 * If a connection was cut before it was read, only the client knows whether a request was sent.
 */
function tokensThatMayBeOut(log: readonly LogEntry[], now: number): [least: number, most: number] {
  const since = (moment: number) => log.filter(({ at }) => at >= moment);
  const surely = since(now - holdMs + slackMs).filter(({ method }) => method !== '');
  return [surely.length, since(now - holdMs - maxRequestMs).length];
}

interface Task {
  readonly kind: FaultKind;
  readonly repeat: RepeatClass;
  /** Index of the tool in its class. */
  readonly variant: number;
}

interface CaseResult {
  readonly name: string;
  readonly said: string;
  readonly problems: readonly string[];
  readonly operation: ToolOperation | undefined;
}

const words = ({ code, outcome }: { code: string; outcome?: string | undefined }) =>
  outcome === undefined ? code : `${code}/${outcome}`;

/** A call that succeeds if program and academy are healthy. */
const simple: [tool: string, args: ToolOperation['args']] = ['list_roles', {}];

function isExpected(operation: ToolOperation, answer: ToolAnswer, expected: readonly Said[]): boolean {
  return expected.some(({ code, outcome }) => isCalled(operation, answer, code) && answer.outcome === outcome);
}

/**
 * With open connections, a read would not hit a fault of the next connection. A write opens its own connection; its
 * preflight must find an open one before that.
 */
async function prepare(harness: Harness, { kind, repeat }: Task, operation: ToolOperation): Promise<ToolAnswer> {
  const [tool, args] = repeat === 'R' ? [operation.tool, operation.args] : simple;
  const clean = await harness.program.call(tool, args);
  const needsNewConnection = kind.fault === undefined || (kind.fault.at === 'connection' && repeat === 'R');
  if (needsNewConnection) await harness.faults.dropIdle();
  return clean;
}

function unmet({ kind, repeat }: Task, { met }: InPlace): string[] {
  // A write has its own connection, so this fault cannot hit it.
  if (met === undefined || (kind.fault?.at === 'reused' && repeat !== 'R')) return [];
  return met() === 1 ? [] : [`the fault hit ${met()} requests`];
}

async function afterwards(harness: Harness, { lasting, calmMs = 0 }: Setup): Promise<string[]> {
  if (!harness.program.isAlive()) return [`the program died: ${harness.program.lastWords()}`];
  await sleep(calmMs);
  const next = await harness.program.call(...simple);
  const wanted = lasting ? 'api_unavailable' : 'ok';
  const problems = next.code === wanted ? [] : [`the next call: ${next.text.slice(0, 200)}`];
  const [least, most] = tokensThatMayBeOut(harness.faults.log, performance.now());
  const { limit = Number.NaN, remaining = Number.NaN } = Object(next.meta['academy/budget']);
  // Spent tokens that have not returned yet.
  const out = limit - remaining;
  if (!(out >= least && out <= most)) problems.push(`${out} tokens are spent instead of ${least} to ${most}`);
  if (harness.faults.log.some(({ path }) => path.startsWith(elsewhere))) problems.push('a redirect was followed');
  return problems;
}

async function runCase(harness: Harness, setup: Setup, task: Task, tag: string, used: Set<object>) {
  const { kind, repeat, variant } = task;
  const of = makers[repeat];
  const operation = (of[variant % of.length] ?? of[0])(harness.sandbox.academy, tag, used);
  const note = setup.note === undefined ? '' : `, ${setup.note}`;
  const name = `${kind.name}${note} x ${repeat} (${operation.tool})`;
  const expected = (setup.says ?? kind.says)[repeat];
  const clean = await prepare(harness, task, operation);
  const inPlace = (await setup.apply?.(harness, kind, operation)) ?? { heal: () => {} };
  const answer = claimOf(operation, await harness.program.call(operation.tool, operation.args));
  await inPlace.heal();
  const problems = [...lies(answer, operation.count()), ...unmet(task, inPlace)];
  if (!isExpected(operation, answer, expected)) {
    problems.push(`expected ${expected.map(words).join(' or ')}: ${answer.text.slice(0, 300)}`);
  }
  const compares = repeat === 'R' && answer.code === 'ok' && !kind.altersAnswer;
  // A call that waited says how long: that is what the fault may change.
  const { waited_s: _, ...data } = { waited_s: 0, ...answer.structured };
  if (compares && !isDeepStrictEqual(data, clean.structured))
    problems.push('the answer differs from that without the fault');
  problems.push(...(await afterwards(harness, setup)));
  return { name, said: words(answer), problems, operation } satisfies CaseResult;
}

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

async function lane(setup: Setup, over: Over, tasks: Task[], tag: string): Promise<CaseResult[]> {
  const harness = await open(setup, over);
  const used = new Set<object>();
  const results: CaseResult[] = [];
  for (let task = tasks.shift(); task !== undefined; task = tasks.shift()) {
    const name = `${task.kind.name} x ${task.repeat}, over ${over}`;
    const running = runCase(harness, setup, task, `${tag}-${results.length + 1}`, used);
    const result = await running.catch((error: unknown) => {
      return { name, said: 'no answer', problems: [String(error), harness.program.lastWords()], operation: undefined };
    });
    results.push(result);
  }
  return results.map(doneTwice);
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
  const running = Array.from({ length: lanes }, (_, number) =>
    inScope(() => lane(setup, over, tasks, `f1-${tag}-${number}`)),
  );
  return (await Promise.all(running)).flat();
}

const details = [
  '`test/reliability/faults.ts` shows how each fault is made, and what a correct client reports after it',
  'a preloaded file makes two faults inside the process of the program: a slow resolver (dns.lookup) and a changed clock (Date); all others act on its sockets, its process or its files',
  'DNS fail lasts as long as the program: the next call must return the same correct error instead of succeeding',
  'the writes include sync_roster, with one new student and one who already has access, and apply_course_outline, with one title: the result and the error code of each part are checked. Of composite reads, only their single requests are tried',
  'the fault "keep-alive closed under us" cannot reach a write, because each write has its own connection: the check is that the write is done once',
  'a 200 with an HTML page proves nothing: the program checks for the effect, and reports `outcome_unknown` if the API does not show it',
];

export const figure: Figure = {
  id: 'F1',
  title: 'Faults survived',
  target:
    'in all cases: the process survives, the error code and the reported outcome are correct, the next call succeeds, no token is lost',
  run: async (size, seed) => {
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
      details,
      failures: failed.map(({ name, problems }) => `${name}: ${problems.join('; ')}`),
    };
  },
};
