import { setTimeout as sleep } from 'node:timers/promises';
import { type Sandbox, startSandbox } from '../../../src/sandbox/index.ts';
import type { Random } from '../../../src/sandbox/seed/random.ts';
import { type BuiltProgram, startProgram } from '../built-program.ts';
import { claimOf } from '../claim.ts';
import { type FaultServer, startFaultServer } from '../fault-server.ts';
import type { ToolOperation } from '../operation.ts';
import { creates } from '../operations/index.ts';

export interface KillOptions {
  kills: number;
  random: Random;
  tag: string;
  auditLog: string;
  /** Problems of the audit log, after that many writes have reached the server. */
  checkAudit(writes: number, kills: number): Promise<string[]>;
}

export interface KillRun {
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

/** Starts, writes and kills; starts again and repeats the interrupted call. */
export async function killRepeatedly({ kills, random, tag, auditLog, checkAudit }: KillOptions): Promise<KillRun> {
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

  /** Makes one call after the other until the program is dead. */
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
