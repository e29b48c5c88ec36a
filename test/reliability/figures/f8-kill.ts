import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { createRandom } from '../../../src/sandbox/seed/random.ts';
import { quantile } from '../../bench/statistics.ts';
import { unlimited } from '../../support/connect.ts';
import { start as startAcademy, temporaryFile } from '../../support/sandbox.ts';
import { startFaultServer } from '../fault-server.ts';
import type { Figure, Size } from '../figure.ts';
import { claimOf, creates, type ToolOperation } from '../operations.ts';
import { type BuiltProgram, startProgram } from '../programs.ts';

// Two figures kill the built program while it writes: F8 repeats the interrupted call and reads the audit log, F25 reads the
// journal.

/** Delay of each answer of the sandbox, so that a kill hits a call in all its stages. Milliseconds. */
const latencyMs = 12;
/** Maximum time from the first call, a read, to a kill: some writes happen in between. Milliseconds. */
const latestKillMs = 150;
/** Maximum time a request may take to reach the sandbox after the program is dead, in milliseconds. */
const settleMs = 40;

type Lane = Awaited<ReturnType<typeof openLane>>;

/** An academy, a file of the program, and a way to start and kill it. `setting` names the file. */
async function openLane(setting: string, tag: string, ...seeds: (string | number)[]) {
  const file = await temporaryFile('lines.jsonl');
  const sandbox = await startAcademy({ students: 10, orders: 20, latencyMs });
  const server = await startFaultServer(sandbox.url);
  const random = createRandom(...seeds);
  const [failures, startsMs]: [string[], number[]] = [[], []];
  const environment = unlimited(server.url, sandbox.apiKey, { [setting]: file });
  let writes = 0;

  async function start(): Promise<BuiltProgram> {
    const program = await startProgram({ environment });
    startsMs.push(program.startMs);
    return program;
  }

  return {
    failures,
    startsMs,
    start,
    writes: () => writes,
    writesAtServer: () => server.log.filter(({ method, worked }) => method === 'POST' && worked).length,
    lines: () => readFile(file, 'utf8').catch(() => ''),
    newWrite: (): ToolOperation => {
      writes += 1;
      return random.pick(creates)(sandbox.academy, `${tag}-${writes}`, new Set());
    },
    /** `work` makes one call after the other until the program is dead. */
    liveAndDie: async (work: (program: BuiltProgram) => Promise<void>) => {
      const program = await start();
      await program.call('list_roles', {});
      const working = work(program);
      await sleep(random.next() * latestKillMs);
      process.kill(program.pid, 'SIGKILL');
      await working;
      await sleep(settleMs);
    },
  };
}

/** The records in lines of JSON; undefined for a line that does not parse. */
function recordsIn(text: string): (Record<string, unknown> | undefined)[] {
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => {
    try {
      return JSON.parse(line);
    } catch {
      return undefined;
    }
  });
}

const maxRepeats = 3;

async function ask(program: BuiltProgram, operation: ToolOperation): Promise<'trusted' | 'cut off' | 'doubtful'> {
  const answer = await program.call(operation.tool, operation.args).catch(() => undefined);
  if (answer === undefined) return 'cut off';
  return claimOf(operation, answer).outcome === 'applied' ? 'trusted' : 'doubtful';
}

/**
 * The problems of an audit log after a kill. Only its last line may be incomplete. A line is added before its write is sent:
 * so there is one for each write that reached the server, and at most one more for each kill.
 */
function auditProblems(text: string, writesAtServer: number, kills: number): string[] {
  const records = recordsIn(text);
  const broken = records.flatMap((one, index) => (one || index === records.length - 1 ? [] : [index + 1]));
  const sent = records.filter((one) => one?.outcome === 'sent').length;
  const isRight = sent >= writesAtServer && sent <= writesAtServer + kills;
  const said = `${writesAtServer} writes and ${kills} kills, but ${sent} lines of sent writes in the audit log`;
  return [...broken.map((number) => `line ${number} of the audit log does not parse`), ...(isRight ? [] : [said])];
}

/** Starts, writes and kills; starts again and repeats the interrupted call. */
async function killAndRepeat(kills: number, seed: number, number: number) {
  const lane = await openLane('ACADEMY_AUDIT_LOG', `f8-${seed}-${number}`, 'f8', seed, number);
  const { failures } = lane;
  /** `cutOff`: calls without an answer because of a kill. `alreadyDone`: those whose effect was visible after it. */
  const counts = { duplicated: 0, lost: 0, cutOff: 0, alreadyDone: 0, auditLines: 0 };
  let open: { operation: ToolOperation; repeats: number } | undefined;

  function settle({ tool, args, count }: ToolOperation): void {
    const times = count();
    if (times > 1) counts.duplicated += 1;
    if (times === 0) counts.lost += 1;
    if (times !== 1) failures.push(`${tool} ${JSON.stringify(args)}: done ${times} times`);
  }

  async function work(program: BuiltProgram): Promise<void> {
    while (program.isAlive()) {
      open ??= { operation: lane.newWrite(), repeats: 0 };
      const heard = await ask(program, open.operation);
      if (heard === 'cut off') return;
      if (heard === 'trusted') {
        settle(open.operation);
        open = undefined;
      } else if (++open.repeats > maxRepeats) {
        failures.push(`${open.operation.tool}: no conclusive answer after ${maxRepeats} repeats`);
        open = undefined;
      }
    }
  }

  for (let kill = 0; kill < kills; kill += 1) {
    await lane.liveAndDie(work);
    if (open !== undefined) {
      counts.cutOff += 1;
      counts.alreadyDone += Math.min(1, open.operation.count());
    }
    counts.auditLines = lane.writesAtServer();
    failures.push(...auditProblems(await lane.lines(), counts.auditLines, lane.startsMs.length));
  }
  const program = await lane.start();
  if (open !== undefined && (await ask(program, open.operation)) === 'trusted') settle(open.operation);
  return { ...counts, failures, startsMs: lane.startsMs, writes: lane.writes() };
}

const sizes: Record<Size, { kills: number; lanes: number }> = {
  short: { kills: 6, lanes: 2 },
  whole: { kills: 200, lanes: 2 },
};
const slowestStartMs = 1_000;
/** Timed starts, one after the other while nothing else runs; the short form does not judge the time. */
const timedStarts: Record<Size, number> = { short: 1, whole: 100 };

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

export const kill: Figure = {
  id: 'F8',
  title: 'Killed during writes',
  target: '0 duplicated, 0 lost; p99 from start to ready below 1 s; a complete audit log',
  run: async (size, seed) => {
    const { kills, lanes } = sizes[size];
    const each = kills / lanes;
    const runs = await Promise.all(Array.from({ length: lanes }, (_, number) => killAndRepeat(each, seed, number)));
    const starts = await timeStarts(timedStarts[size]);
    const busyStarts = runs.flatMap(({ startsMs }) => startsMs);
    const sum = (name: 'writes' | 'duplicated' | 'lost' | 'cutOff' | 'alreadyDone' | 'auditLines') =>
      runs.reduce((total, one) => total + one[name], 0);
    const p99 = quantile(starts, 0.99);
    return {
      tried: `the built program over stdio, killed ${kills} times with SIGKILL at random moments during ${sum('writes')} writes; after the restart, each interrupted call is repeated`,
      result: `${sum('duplicated')} duplicated, ${sum('lost')} lost; start to ready: median ${milliseconds(quantile(starts, 0.5))}, p99 ${milliseconds(p99)}`,
      reached: size === 'short' || p99 < slowestStartMs,
      details: [
        `${sum('cutOff')} calls were interrupted by a kill; ${sum('alreadyDone')} of them had been done, and the repeat did not do them again`,
        'the writes include sync_roster with one new student; a longer list that a kill interrupts is sent again in the same way, and students who already have access are skipped',
        `audit log, checked after each kill: every line parses (the last one may be incomplete), and each write that reached the sandbox has a line: ${sum('auditLines')} writes`,
        `start to ready is the time from spawn to the answer to initialize, in ${starts.length} starts one after the other; between kills, while ${lanes} programs and the sandbox were busy, the median was ${milliseconds(quantile(busyStarts, 0.5))}`,
      ],
      failures: runs.flatMap((one) => one.failures),
      zeros: [{ what: 'writes duplicated or lost by a kill', of: kills }],
    };
  },
};

/** How long the program does not take an effect that it does not see for one that never came. Milliseconds. */
const provedAfterMs = 15_500;
/** Maximum time that the next start may take to look for all of them. Milliseconds. */
const longestLookMs = 60_000;

/** Lines of writes that have no second line. */
async function openLines(lane: Lane) {
  const lines = recordsIn(await lane.lines()).filter((one) => one !== undefined);
  const done = new Set(lines.filter(({ line }) => line === 'done').map(({ part }) => part));
  return lines.filter(({ line, part }) => line === 'sent' && !done.has(part));
}

/** Starts once more: it looks for every write without a second line, and must tell it as it is. */
async function judgeJournal(lane: Lane, calls: readonly ToolOperation[]) {
  await sleep(provedAfterMs);
  const open = await openLines(lane);
  const program = await lane.start();
  const waitsUntil = performance.now() + longestLookMs;
  // It looks for them by itself.
  while (performance.now() < waitsUntil && (await openLines(lane)).length > 0) await sleep(100);
  const nameOf = ({ tool, input }: Record<string, unknown>) => `${tool} ${JSON.stringify(input)}`;
  lane.failures.push(...(await openLines(lane)).map((line) => `${nameOf(line)} was not looked for`));
  const { structured } = await program.call('list_changes', { limit: 200 });
  const changes = (structured?.changes ?? []) as Record<string, string>[];
  let applied = 0;
  for (const line of open) {
    const said = changes.find(({ change_id }) => change_id === line.change)?.outcome;
    const operation = calls.find((one) => one.tool === line.tool && isOf(one, Object(line.input)));
    if (operation === undefined) continue;
    const isApplied = operation.count() > 0;
    if (isApplied) applied += 1;
    const wanted = [isApplied ? 'applied' : 'not_applied', 'partly'];
    if (said !== undefined && !wanted.includes(said))
      lane.failures.push(`${nameOf(line)}: ${said}, and it was ${isApplied ? '' : 'not '}applied`);
  }
  return { cut: open.length, applied };
}

/** Whether a write was sent by this call: every call has values of its own. */
function isOf({ args }: ToolOperation, input: Record<string, unknown>): boolean {
  const own = JSON.stringify(args);
  return ['email', 'title', 'name'].some(
    (name) => typeof input[name] === 'string' && own.includes(JSON.stringify(input[name])),
  );
}

const journalKills: Record<Size, number> = { short: 6, whole: 200 };

export const journal: Figure = {
  id: 'F25',
  title: 'Killed between the lines of the journal',
  target: '0 writes without a first line; 0 told wrongly at the next start',
  run: async (size, seed) => {
    const kills = journalKills[size];
    const lane = await openLane('ACADEMY_JOURNAL', 'f25', 'f25', seed);
    const calls: ToolOperation[] = [];
    const work = async (program: BuiltProgram) => {
      while (program.isAlive()) {
        const operation = lane.newWrite();
        calls.push(operation);
        await program.call(operation.tool, operation.args).catch(() => undefined);
      }
    };
    for (let number = 0; number < kills; number += 1) {
      await lane.liveAndDie(work);
      const sent = recordsIn(await lane.lines()).filter((one) => one?.line === 'sent').length;
      const writes = lane.writesAtServer();
      if (sent < writes) lane.failures.push(`${writes} writes reached the academy, and ${sent} have a line`);
    }
    const { cut, applied } = await judgeJournal(lane, calls);
    return {
      tried: `the built program over stdio with a journal, killed ${kills} times with SIGKILL at random moments during ${lane.writes()} writes`,
      result: `${cut} writes had a first line alone; ${applied} of them had been applied, as the next start found; ${lane.failures.length} wrong`,
      details: [
        'after each kill, no more writes may have reached the academy than have a first line in the journal',
        'at the end the program starts again, and looks for every write without a second line before any call: what it says must be what the academy has',
      ],
      failures: lane.failures,
      zeros: [{ what: 'writes without a line, or told wrongly after a kill', of: kills }],
    };
  },
};
