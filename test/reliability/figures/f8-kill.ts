import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Sandbox, startSandbox } from '../../../src/sandbox/index.ts';
import { createRandom, type Random } from '../../../src/sandbox/seed/random.ts';
import { type BuiltProgram, startProgram } from '../built-program.ts';
import { type FaultServer, startFaultServer } from '../fault-server.ts';
import type { Figure, FigureResult, Size } from '../figure.ts';
import { claimOf, creates, type ToolOperation } from '../operations.ts';

interface KillOptions {
  kills: number;
  random: Random;
  tag: string;
  auditLog: string;
  /** Problems of the audit log, after that many writes have reached the server. */
  checkAudit(writes: number, kills: number): Promise<string[]>;
}

interface KillRun {
  readonly startsMs: number[];
  readonly failures: string[];
  writes: number;
  duplicated: number;
  lost: number;
  /** Calls without an answer because of a kill. */
  cutOff: number;
  /** Those of them whose effect was visible after the kill. */
  alreadyDone: number;
  auditLines: number;
}

/** Delay of each answer of the sandbox, so that a kill hits a call in all its stages. Milliseconds. */
const latencyMs = 12;
/** Maximum time from the first call, a read, to a kill: some writes happen in between. Milliseconds. */
const latestKillMs = 150;
const maxRepeats = 3;

/** Maximum time a request may take to reach the sandbox after the program is dead, in milliseconds. */
const settleMs = 40;

type Heard = 'trusted' | 'cut off' | 'doubtful';

async function ask(program: BuiltProgram, operation: ToolOperation): Promise<Heard> {
  const answer = await program.call(operation.tool, operation.args).catch(() => undefined);
  if (answer === undefined) return 'cut off';
  return claimOf(operation, answer).outcome === 'applied' ? 'trusted' : 'doubtful';
}

const writesIn = ({ log }: FaultServer) => log.filter(({ method, worked }) => method === 'POST' && worked).length;

async function killRepeatedly({ kills, random, tag, auditLog, checkAudit }: KillOptions): Promise<KillRun> {
  const sandbox = await startSandbox({ rateLimit: 'off', students: 10, orders: 20, latencyMs });
  const server = await startFaultServer(sandbox.url);
  const run: KillRun = {
    startsMs: [],
    failures: [],
    writes: 0,
    duplicated: 0,
    lost: 0,
    cutOff: 0,
    alreadyDone: 0,
    auditLines: 0,
  };
  const environment = {
    ACADEMY_BASE_URL: server.url,
    ACADEMY_API_KEY: sandbox.apiKey,
    ACADEMY_RATE_LIMIT: 'off',
    ACADEMY_AUDIT_LOG: auditLog,
  };
  let open: { operation: ToolOperation; repeats: number } | undefined;

  function nextDeed(): ToolOperation {
    run.writes += 1;
    return random.pick(creates)(sandbox.academy, `${tag}-${run.writes}`, new Set());
  }

  function settle(operation: ToolOperation): void {
    const count = operation.count();
    if (count > 1) run.duplicated += 1;
    if (count === 0) run.lost += 1;
    if (count !== 1) run.failures.push(`${operation.tool} ${JSON.stringify(operation.args)}: done ${count} times`);
  }

  async function work(program: BuiltProgram): Promise<void> {
    while (program.isAlive()) {
      open ??= { operation: nextDeed(), repeats: 0 };
      const heard = await ask(program, open.operation);
      if (heard === 'cut off') return;
      if (heard === 'trusted') {
        settle(open.operation);
        open = undefined;
      } else if (++open.repeats > maxRepeats) {
        run.failures.push(`${open.operation.tool}: no conclusive answer after ${maxRepeats} repeats`);
        open = undefined;
      }
    }
  }

  async function startAgain(): Promise<BuiltProgram> {
    const program = await startProgram({ environment });
    run.startsMs.push(program.startMs);
    return program;
  }

  async function lookBehind(): Promise<void> {
    await sleep(settleMs);
    if (open !== undefined) {
      run.cutOff += 1;
      run.alreadyDone += Math.min(1, open.operation.count());
    }
    run.auditLines = writesIn(server);
    run.failures.push(...(await checkAudit(run.auditLines, run.startsMs.length)));
  }

  async function liveAndDie(): Promise<void> {
    const program = await startAgain();
    await program.call('list_roles', {});
    const working = work(program);
    await sleep(random.next() * latestKillMs);
    process.kill(program.pid, 'SIGKILL');
    await working;
    await lookBehind();
  }

  for (let kill = 0; kill < kills; kill += 1) await liveAndDie();
  const program = await startAgain();
  if (open !== undefined && (await ask(program, open.operation)) === 'trusted') settle(open.operation);
  await program.close();
  await end(sandbox, server);
  return run;
}

async function end(sandbox: Sandbox, server: FaultServer): Promise<void> {
  await server.close();
  await sandbox.close();
}

function parses(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}

const isSent = (line: string) => parses(line) && JSON.parse(line).outcome === 'sent';

/**
 * The problems of an audit log after a kill. Only its last line may be incomplete. A line is added before its write is sent:
 * so there is one for each write that reached the server, and at most one more for each kill.
 */
function auditProblems(text: string, writesAtServer: number, kills: number): string[] {
  const lines = text.split('\n').filter((line) => line !== '');
  const broken = lines.flatMap((line, index) => (parses(line) || index === lines.length - 1 ? [] : [index + 1]));
  const sent = lines.filter(isSent).length;
  const isRight = sent >= writesAtServer && sent <= writesAtServer + kills;
  return [
    ...broken.map((number) => `line ${number} of the audit log does not parse`),
    ...(isRight
      ? []
      : [`${writesAtServer} writes and ${kills} kills, but ${sent} lines of sent writes in the audit log`]),
  ];
}

const counts: Record<Size, { kills: number; lanes: number }> = {
  short: { kills: 6, lanes: 2 },
  whole: { kills: 200, lanes: 2 },
};
const slowestStartMs = 1_000;
/** Timed starts, one after the other while nothing else runs; the short form does not judge the time. */
const timedStarts: Record<Size, number> = { short: 1, whole: 100 };

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
    reached: size === 'short' || p99 < slowestStartMs,
    details: [
      `${sum((one) => one.cutOff)} calls were interrupted by a kill; ${sum((one) => one.alreadyDone)} of them had been done, and the repeat did not do them again`,
      'the writes include sync_roster with one new student; a longer list that a kill interrupts is sent again in the same way, and students who already have access are skipped',
      `audit log, checked after each kill: every line parses (the last one may be incomplete), and each write that reached the sandbox has a line: ${sum((one) => one.auditLines)} writes`,
      `start to ready is the time from spawn to the answer to initialize, in ${starts.length} starts one after the other; between kills, while ${lanes} programs and the sandbox were busy, the median was ${milliseconds(quantile(busyStarts, 0.5))}`,
    ],
    failures,
    zeros: [{ what: 'writes duplicated or lost by a kill', of: kills }],
  };
}

export const figure: Figure = {
  id: 'F8',
  title: 'Killed during writes',
  target: '0 duplicated, 0 lost; p99 from start to ready below 1 s; a complete audit log',
  run,
};
