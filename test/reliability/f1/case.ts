import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { claimOf, isCalled } from '../claim.ts';
import type { FaultKind, RepeatClass, Said } from '../fault.ts';
import { elsewhere } from '../faults/statuses.ts';
import type { ToolOperation } from '../operation.ts';
import { makers } from '../operations/index.ts';
import type { ToolAnswer } from '../tool-answer.ts';
import type { Bench, InPlace, Setup } from './setup.ts';
import { tokensThatMayBeOut } from './tokens.ts';

export interface Task {
  readonly kind: FaultKind;
  readonly repeat: RepeatClass;
  /** Index of the tool in its class. */
  readonly variant: number;
}

export interface CaseResult {
  readonly name: string;
  /** The program's answer, shortened. */
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

/** Compares the program's claim with the state of the sandbox. */
function lies({ outcome }: ToolAnswer, count: number): string[] {
  if (count > 1) return [`done ${count} times`];
  if (outcome === 'applied' && count === 0) return ['reported as applied, but has no effect'];
  return outcome === 'not_applied' && count > 0 ? ['reported as not applied, but has an effect'] : [];
}

/**
 * With open connections, a read would not hit a fault of the next connection. A write opens its own connection; its
 * preflight must find an open one before that.
 */
async function prepare({ harness }: Bench, { kind, repeat }: Task, operation: ToolOperation): Promise<ToolAnswer> {
  const [tool, args] = repeat === 'R' ? [operation.tool, operation.args] : simple;
  const clean = await harness.program.call(tool, args);
  const needsNewConnection = kind.fault === undefined || (kind.fault.at === 'connection' && repeat === 'R');
  if (needsNewConnection) {
    harness.faults.dropIdle();
    await sleep(50);
  }
  return clean;
}

function unmet({ kind, repeat }: Task, { met }: InPlace): string[] {
  // A write has its own connection, so this fault cannot hit it.
  if (met === undefined || (kind.fault?.at === 'reused' && repeat !== 'R')) return [];
  return met() === 1 ? [] : [`the fault hit ${met()} requests`];
}

async function afterwards({ harness }: Bench, { lasting, calmMs = 0 }: Setup): Promise<string[]> {
  if (!harness.program.isAlive()) return [`the program died: ${harness.program.lastWords()}`];
  await sleep(calmMs);
  const next = await harness.program.call(...simple);
  const wanted = lasting ? 'api_unavailable' : 'ok';
  const problems = next.code === wanted ? [] : [`the next call: ${next.text.slice(0, 200)}`];
  const [least, most] = tokensThatMayBeOut(harness.faults.log, performance.now());
  const out = next.tokensOut ?? -1;
  if (out < least || out > most) problems.push(`${out} tokens are spent instead of ${least} to ${most}`);
  if (harness.faults.log.some(({ path }) => path.startsWith(elsewhere))) problems.push('a redirect was followed');
  return problems;
}

/** One call under one fault, and the next without it. */
export async function runCase(bench: Bench, setup: Setup, task: Task, tag: string, used: Set<object>) {
  const { kind, repeat, variant } = task;
  const of = makers[repeat];
  const operation = (of[variant % of.length] ?? of[0])(bench.harness.sandbox.academy, tag, used);
  const note = setup.note === undefined ? '' : `, ${setup.note}`;
  const name = `${kind.name}${note} x ${repeat} (${operation.tool})`;
  const expected = (setup.says ?? kind.says)[repeat];
  const clean = await prepare(bench, task, operation);
  const inPlace = await bench.apply(kind, operation);
  const answer = claimOf(operation, await bench.harness.program.call(operation.tool, operation.args));
  await inPlace.heal();
  const problems = [...lies(answer, operation.count()), ...unmet(task, inPlace)];
  if (!isExpected(operation, answer, expected)) {
    problems.push(`expected ${expected.map(words).join(' or ')}: ${answer.text.slice(0, 300)}`);
  }
  const compares = repeat === 'R' && answer.code === 'ok' && !kind.altersAnswer;
  if (compares && !isDeepStrictEqual(answer.data, clean.data))
    problems.push('the answer differs from that without the fault');
  problems.push(...(await afterwards(bench, setup)));
  return { name, said: words(answer), problems, operation } satisfies CaseResult;
}
