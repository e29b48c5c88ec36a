import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Sandbox, startSandbox } from '../../../src/sandbox/index.ts';
import { createRandom, type Random } from '../../../src/sandbox/seed/random.ts';
import { type BuiltProgram, startProgram } from '../built-program.ts';
import { type FaultServer, startFaultServer } from '../fault-server.ts';
import type { Figure, FigureResult, Size } from '../figure.ts';
import { creates, type ToolOperation } from '../operations.ts';

/** Delay of each answer of the sandbox, so that a kill hits a write between its two lines. Milliseconds. */
const latencyMs = 12;
/** Maximum time from the first call to a kill. Milliseconds. */
const latestKillMs = 150;
/** Maximum time a request may take to reach the sandbox after the program is dead. Milliseconds. */
const settleMs = 40;
/** How long the program does not take an effect that it does not see for one that never came. Milliseconds. */
const provedAfterMs = 15_500;

/** Maximum time that the next start may take to look for all of them. Milliseconds. */
const longestLookMs = 60_000;

interface JournalKillRun {
  readonly failures: string[];
  writes: number;
  /** Writes with a first line and no second one. */
  cut: number;
  /** Those of them that had been applied. */
  applied: number;
}

interface Line {
  readonly line: string;
  readonly change: string;
  readonly part: string;
  readonly tool: string;
  readonly input: Record<string, unknown>;
}

/** The last line may be incomplete. */
function linesIn(text: string): Line[] {
  return text.split('\n').flatMap((line) => {
    try {
      return [JSON.parse(line) as Line];
    } catch {
      return [];
    }
  });
}

const writesIn = ({ log }: FaultServer) => log.filter(({ method, worked }) => method === 'POST' && worked).length;

interface Lane {
  readonly sandbox: Sandbox;
  readonly server: FaultServer;
  readonly journal: string;
  readonly random: Random;
  readonly run: JournalKillRun;
  readonly calls: ToolOperation[];
  readonly environment: Record<string, string>;
}

async function openLane(seed: number): Promise<Lane> {
  const folder = await mkdtemp(join(tmpdir(), 'academy-journal-'));
  const journal = join(folder, 'journal.jsonl');
  const sandbox = await startSandbox({ rateLimit: 'off', students: 10, orders: 20, latencyMs });
  const server = await startFaultServer(sandbox.url);
  const environment = {
    ACADEMY_BASE_URL: server.url,
    ACADEMY_API_KEY: sandbox.apiKey,
    ACADEMY_RATE_LIMIT: 'off',
    ACADEMY_JOURNAL: journal,
  };
  const run = { failures: [], writes: 0, cut: 0, applied: 0 };
  return { sandbox, server, journal, random: createRandom('f25', seed), run, calls: [], environment };
}

/** Makes one call after the other until the program is dead. */
async function work(program: BuiltProgram, { random, sandbox, calls, run }: Lane): Promise<void> {
  while (program.isAlive()) {
    run.writes += 1;
    const operation = random.pick(creates)(sandbox.academy, `f25-${run.writes}`, new Set());
    calls.push(operation);
    await program.call(operation.tool, operation.args).catch(() => undefined);
  }
}

async function liveAndDie(lane: Lane): Promise<void> {
  const { random, journal, server, run } = lane;
  const program = await startProgram({ environment: lane.environment });
  await program.call('list_roles', {});
  const working = work(program, lane);
  await sleep(random.next() * latestKillMs);
  process.kill(program.pid, 'SIGKILL');
  await working;
  await sleep(settleMs);
  const text = await readFile(journal, 'utf8').catch(() => '');
  const sent = linesIn(text).filter(({ line }) => line === 'sent').length;
  const writes = writesIn(server);
  if (sent < writes) run.failures.push(`${writes} writes reached the academy, and ${sent} have a line`);
}

/** Starts once more: it looks for every write without a second line, and must tell it as it is. */
async function judge({ journal, environment, run, calls }: Lane): Promise<void> {
  await sleep(provedAfterMs);
  const openLines = async () => {
    const lines = linesIn(await readFile(journal, 'utf8'));
    const done = new Set(lines.filter(({ line }) => line === 'done').map(({ part }) => part));
    return lines.filter(({ line, part }) => line === 'sent' && !done.has(part));
  };
  const open = await openLines();
  run.cut = open.length;
  const program = await startProgram({ environment });
  const outcomes = new Map<string, string>();
  // It looks for them by itself.
  for (let waited = 0; waited < longestLookMs && (await openLines()).length > 0; waited += 100) await sleep(100);
  const left = await openLines();
  run.failures.push(...left.map(({ tool, input }) => `${tool} ${JSON.stringify(input)} was not looked for`));
  const { data } = await program.call('list_changes', { limit: 200 });
  for (const row of (data?.changes ?? []) as Record<string, string>[])
    if (row.change_id !== undefined && row.outcome !== undefined) outcomes.set(row.change_id, row.outcome);
  for (const { change, tool, input } of open) {
    const said = outcomes.get(change);
    const operation = calls.find((one) => one.tool === tool && isOf(one, input));
    const isApplied = operation === undefined ? undefined : operation.count() > 0;
    if (isApplied === true) run.applied += 1;
    const wanted = isApplied === true ? ['applied', 'partly'] : ['not_applied', 'partly'];
    if (said !== undefined && isApplied !== undefined && !wanted.includes(said))
      run.failures.push(`${tool} ${JSON.stringify(input)}: ${said}, and it was ${isApplied ? '' : 'not '}applied`);
  }
  await program.close();
}

/** Whether a write was sent by this call: every call has values of its own. */
function isOf({ args }: ToolOperation, input: Record<string, unknown>): boolean {
  const own = JSON.stringify(args);
  return ['email', 'title', 'name'].some(
    (name) => typeof input[name] === 'string' && own.includes(JSON.stringify(input[name])),
  );
}

async function runJournalKills(kills: number, seed: number): Promise<JournalKillRun> {
  const lane = await openLane(seed);
  for (let kill = 0; kill < kills; kill += 1) await liveAndDie(lane);
  await judge(lane);
  await lane.server.close();
  await lane.sandbox.close();
  await rm(join(lane.journal, '..'), { recursive: true });
  return lane.run;
}

const kills: Record<Size, number> = { short: 6, whole: 200 };

async function run(size: Size, seed: number): Promise<FigureResult> {
  const { failures, writes, cut, applied } = await runJournalKills(kills[size], seed);
  return {
    tried: `the built program over stdio with a journal, killed ${kills[size]} times with SIGKILL at random moments during ${writes} writes`,
    result: `${cut} writes had a first line alone; ${applied} of them had been applied, as the next start found; ${failures.length} wrong`,
    details: [
      'after each kill, no more writes may have reached the academy than have a first line in the journal',
      'at the end the program starts again, and looks for every write without a second line before any call: what it says must be what the academy has',
    ],
    failures,
    zeros: [{ what: 'writes without a line, or told wrongly after a kill', of: kills[size] }],
  };
}

export const figure: Figure = {
  id: 'F25',
  title: 'Killed between the lines of the journal',
  target: '0 writes without a first line; 0 told wrongly at the next start',
  run,
};
