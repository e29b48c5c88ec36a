import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { connectInMemory } from '../../reliability/in-memory.ts';
import { maxRequestsAllowed, startOddAcademy } from '../academy/server.ts';
import { must } from '../academy/state.ts';
import type { Switch } from '../switches/switch.ts';
import { isReading, probesNamed } from './probes/index.ts';
import { type Harness, type Judged, type Probe, type Verdict, wrong } from './verdict.ts';

export interface Row {
  readonly switches: string;
  readonly probe: string;
  readonly verdict: Verdict;
  readonly why: string;
}

/** Maximum time of one probe, in milliseconds: an honest answer over loopback takes much less. */
const longest = 40_000;

const settings = {
  ACADEMY_RATE_LIMIT: 'off',
  ACADEMY_MAX_WAIT_MS: '6000',
  ACADEMY_TIMEOUT_MS: '3000',
};

function withinTime(work: Promise<Judged>): Promise<Judged> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Judged>((resolve) => {
    timer = setTimeout(() => resolve(wrong(`no answer within ${longest / 1000} s`)), longest);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

function termsOf(switches: readonly Switch[]): Harness['terms'] {
  const kinds = switches.map(({ kind }) => kind);
  const kind = kinds.includes('departs') ? 'departs' : kinds.includes('open') ? 'open' : 'fine';
  const lies = switches.flatMap((one) => (one.lies === undefined ? [] : [one.lies.source]));
  const trusts = switches.some((one) => one.trusts === true);
  const words = switches.find((one) => one.words !== undefined)?.words;
  return { kind, trusts, words, lies: lies.length === 0 ? undefined : new RegExp(lies.join('|'), 'i') };
}

async function startRig(switches: readonly Switch[]): Promise<{ harness: Harness; close(): Promise<void> }> {
  const academy = await startOddAcademy(switches.map(({ rules }) => rules));
  const program = await connectInMemory({
    settings: { ...settings, ACADEMY_BASE_URL: academy.url, ACADEMY_API_KEY: academy.key },
    app: { pace: 0.02 },
  });
  const { students } = academy.state;
  const email = (id: number) =>
    must(
      students.find((student) => student.id === id),
      `student ${id}`,
    ).email;
  const call: Harness['call'] = (tool, args = {}) => program.call(tool, args);
  const close = async () => {
    await program.close();
    await academy.close();
  };
  return { harness: { academy, terms: termsOf(switches), email, call }, close };
}

async function judgedBy(harness: Harness, probe: Probe): Promise<Judged> {
  const failed = (error: unknown) =>
    wrong(`the call failed: ${error instanceof Error ? error.message : String(error)}`);
  harness.academy.log.splice(0);
  const judged = await withinTime(probe.judge(harness).catch(failed));
  const { length } = harness.academy.log;
  return length > maxRequestsAllowed ? wrong(`${length} requests for one answer`) : judged;
}

interface Ear {
  begin?(probe: Probe): void;
  end?(row: Row): void;
}

/** Asks these questions with these switches on. Reads share an academy; every write has its own. */
export async function judgeSwitches(
  switches: readonly Switch[],
  probes: readonly Probe[],
  { begin, end }: Ear = {},
): Promise<Row[]> {
  const names = switches.map(({ name }) => name).join('+');
  const rows: Row[] = [];
  let shared: Awaited<ReturnType<typeof startRig>> | undefined;
  for (const probe of probes) {
    begin?.(probe);
    const started = isReading(probe) ? (shared ?? (await startRig(switches))) : await startRig(switches);
    const judged = await judgedBy(started.harness, probe);
    const isSpent = !isReading(probe) || judged.verdict === 'WRONG';
    shared = isSpent ? (isReading(probe) ? undefined : shared) : started;
    if (isSpent) await started.close();
    const row = { switches: names, probe: probe.name, ...judged };
    rows.push(row);
    end?.(row);
  }
  await shared?.close();
  return rows;
}

/**
 * Runs work in a time zone far from UTC, where a time without a zone that is read in the machine's zone is detected.
 * Restores the previous zone.
 */
export async function awayFromUtc<Result>(work: () => Promise<Result>): Promise<Result> {
  const before = process.env.TZ;
  process.env.TZ = 'America/Los_Angeles';
  try {
    return await work();
  } finally {
    if (before === undefined) delete process.env.TZ;
    else process.env.TZ = before;
  }
}

// A wrong answer can end the process: each lane is a child process, and continues in a new one if it ends.

const script = fileURLToPath(new URL('./child.ts', import.meta.url));

type Pair = string;

export const pairsOf = (switches: readonly Switch[]): Pair[] =>
  switches.flatMap((one) => probesNamed(one.probes).map(({ name }) => `${one.name} ${name}`));

function isRow(said: object): said is Row {
  return 'verdict' in said;
}

/** Judges pairs in one child process until it ends; the pair at which it ended is WRONG. */
async function oneChild(pairs: readonly Pair[], hear: (row: Row) => void): Promise<number> {
  const child = spawn(process.execPath, ['--import', 'tsx', '--max-old-space-size=1500', script], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  child.stdin.on('error', () => {});
  child.stdin.end(JSON.stringify(pairs));
  let done = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    const said: unknown = JSON.parse(line);
    if (typeof said !== 'object' || said === null || !isRow(said)) continue;
    done += 1;
    hear(said);
  }
  await ended;
  if (done === pairs.length) return done;
  const [name = '', probe = ''] = pairs[done]?.split(' ') ?? [];
  hear({ switches: name, probe, verdict: 'WRONG', why: 'the process ended' });
  return done + 1;
}

async function lane(pairs: readonly Pair[], hear: (row: Row) => void): Promise<void> {
  for (let done = 0; done < pairs.length; ) done += await oneChild(pairs.slice(done), hear);
}

export async function judgeApart(switches: readonly Switch[], hear: (row: Row) => void = () => {}): Promise<Row[]> {
  const rows: Row[] = [];
  const keep = (row: Row) => {
    rows.push(row);
    hear(row);
  };
  const lanes = [0, 1].map((number) => pairsOf(switches.filter((_one, index) => index % 2 === number)));
  await Promise.all(lanes.map((pairs) => lane(pairs, keep)));
  const order = new Map(pairsOf(switches).map((pair, index) => [pair, index]));
  const place = ({ switches: name, probe }: Row) => order.get(`${name} ${probe}`) ?? 0;
  return rows.sort((one, other) => place(one) - place(other));
}
