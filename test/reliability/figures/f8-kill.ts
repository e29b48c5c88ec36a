import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRandom } from '../../../src/sandbox/seed/random.ts';
import { startProgram } from '../built-program.ts';
import { auditProblems } from '../f8/audit.ts';
import { type KillRun, killRepeatedly } from '../f8/kills.ts';
import { type Figure, type FigureResult, firstFailures, type Size } from '../figure.ts';

const counts: Record<Size, { kills: number; lanes: number }> = {
  short: { kills: 6, lanes: 2 },
  whole: { kills: 200, lanes: 2 },
};
const slowestStartMs = 1_000;
/** Timed starts, one after the other while nothing else runs; the short form does not judge the time. */
const timedStarts: Record<Size, number> = { short: 1, whole: 100 };

/** The value below which this share of the sorted values lies. */
function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

async function lane(kills: number, seed: number, number: number): Promise<KillRun> {
  const folder = await mkdtemp(join(tmpdir(), 'academy-reliability-'));
  const auditLog = join(folder, 'audit.jsonl');
  const checkAudit = async (writes: number, killed: number) =>
    auditProblems(await readFile(auditLog, 'utf8'), writes, killed);
  const random = createRandom('f8', seed, number);
  const run = await killRepeatedly({ kills, random, tag: `f8-${seed}-${number}`, auditLog, checkAudit });
  await rm(folder, { recursive: true });
  return run;
}

const milliseconds = (value: number) => `${Math.round(value)} ms`;

async function timeStarts(count: number): Promise<number[]> {
  const environment = { ACADEMY_BASE_URL: 'http://127.0.0.1:9', ACADEMY_API_KEY: 'never-used' };
  const starts: number[] = [];
  for (let start = 0; start < count; start += 1) {
    const program = await startProgram({ environment });
    starts.push(program.startMs);
    await program.close();
  }
  return starts;
}

async function run(size: Size, seed: number): Promise<FigureResult> {
  const { kills, lanes } = counts[size];
  const runs = await Promise.all(Array.from({ length: lanes }, (_, number) => lane(kills / lanes, seed, number)));
  const starts = await timeStarts(timedStarts[size]);
  const busyStarts = runs.flatMap(({ startsMs }) => startsMs);
  const failures = runs.flatMap((one) => one.failures);
  const sum = (of: (one: KillRun) => number) => runs.reduce((total, one) => total + of(one), 0);
  const p99 = quantile(starts, 0.99);
  const writes = sum(({ writes }) => writes);
  return {
    tried: `the built program over stdio, killed ${kills} times with SIGKILL at random moments during ${writes} writes; after the restart, each interrupted call is repeated`,
    result: `${sum((one) => one.duplicated)} duplicated, ${sum((one) => one.lost)} lost; start to ready: median ${milliseconds(quantile(starts, 0.5))}, p99 ${milliseconds(p99)}`,
    reached: failures.length === 0 && (size === 'short' || p99 < slowestStartMs),
    details: [
      `${sum((one) => one.cutOff)} calls were interrupted by a kill; ${sum((one) => one.alreadyDone)} of them had been done, and the repeat did not do them again`,
      'the writes include sync_roster with one new student; a longer list that a kill interrupts is sent again in the same way, and students who already have access are skipped',
      `audit log, checked after each kill: every line parses (the last one may be incomplete), and each write that reached the sandbox has a line: ${sum((one) => one.auditLines)} writes`,
      `start to ready is the time from spawn to the answer to initialize, in ${starts.length} starts one after the other; between kills, while ${lanes} programs and the sandbox were busy, the median was ${milliseconds(quantile(busyStarts, 0.5))}`,
    ],
    failures: firstFailures(failures.map((failure) => `seed ${seed}, ${failure}`)),
    zeros: failures.length === 0 ? [{ what: 'writes duplicated or lost by a kill', of: kills }] : [],
  };
}

export const figure: Figure = {
  id: 'F8',
  title: 'Killed during writes',
  target: '0 duplicated, 0 lost; p99 from start to ready below 1 s; a complete audit log',
  run,
};
