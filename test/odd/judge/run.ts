import { connectInMemory } from '../../reliability/in-memory.ts';
import { maxRequestsAllowed, startOddAcademy } from '../academy/server.ts';
import { must } from '../academy/state.ts';
import type { Switch } from '../switches/switch.ts';
import { isReading, probesNamed } from './probes/index.ts';
import type { Harness, Probe } from './verdict.ts';
import { type Judged, type Verdict, wrong } from './verdict.ts';

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

/** The program, with an academy that has these switches on. */
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

/** Receives each question before it is asked, and each verdict. */
export interface Ear {
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

/** Asks every question that each switch affects, one after the other, in this process. */
export function judgeHere(switches: readonly Switch[], ear: Ear = {}): Promise<Row[]> {
  return awayFromUtc(async () => {
    const rows: Row[] = [];
    for (const one of switches) rows.push(...(await judgeSwitches([one], probesNamed(one.probes), ear)));
    return rows;
  });
}
