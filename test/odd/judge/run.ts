import { connectInMemory } from '../../reliability/in-memory.ts';
import { mostRequests, startOddAcademy } from '../academy/server.ts';
import { must } from '../academy/state.ts';
import type { Switch } from '../switches/switch.ts';
import type { Probe, Rig } from './probe.ts';
import { probesNamed } from './probes/index.ts';
import { type Judged, type Verdict, wrong } from './verdict.ts';

export interface Row {
  readonly switches: string;
  readonly probe: string;
  readonly verdict: Verdict;
  readonly why: string;
}

/** Longest time of one probe, in milliseconds: no honest answer over loopback needs a part of it. */
const longest = 60_000;

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

function termsOf(switches: readonly Switch[]): Rig['terms'] {
  const kinds = switches.map(({ kind }) => kind);
  const kind = kinds.includes('departs') ? 'departs' : kinds.includes('open') ? 'open' : 'fine';
  const lies = switches.flatMap((one) => (one.lies === undefined ? [] : [one.lies.source]));
  const trusts = switches.some((one) => one.trusts === true);
  const words = switches.find((one) => one.words !== undefined)?.words;
  return { kind, trusts, words, lies: lies.length === 0 ? undefined : new RegExp(lies.join('|'), 'i') };
}

/** Asks one question of the program, which works on an academy with these switches turned. */
export async function judgeProbe(switches: readonly Switch[], probe: Probe): Promise<Row> {
  const academy = await startOddAcademy(switches.map(({ rules }) => rules));
  const program = await connectInMemory({
    settings: { ...settings, ACADEMY_BASE_URL: academy.url, ACADEMY_API_KEY: academy.key },
    app: { pace: 0.02 },
  });
  const email = (student: number) =>
    must(
      academy.state.students.find(({ id }) => id === student),
      `student ${student}`,
    ).email;
  const rig: Rig = { academy, terms: termsOf(switches), email, call: (tool, args = {}) => program.call(tool, args) };
  const failed = (error: unknown) =>
    wrong(`the call failed: ${error instanceof Error ? error.message : String(error)}`);
  try {
    const judged = await withinTime(probe.judge(rig).catch(failed));
    const { verdict, why } =
      academy.log.length > mostRequests ? wrong(`${academy.log.length} requests for one answer`) : judged;
    return { switches: switches.map(({ name }) => name).join('+'), probe: probe.name, verdict, why };
  } finally {
    await program.close();
    await academy.close();
  }
}

/**
 * Runs work in a time zone far from UTC: a time without a zone that is read in that of the machine shows only there. What
 * was set before is put back.
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

/** Every probe that each switch touches, one after the other. */
export function judgeAll(switches: readonly Switch[], hear: (row: Row) => void = () => {}): Promise<Row[]> {
  return awayFromUtc(async () => {
    const rows: Row[] = [];
    for (const one of switches) {
      for (const probe of probesNamed(one.probes)) {
        const row = await judgeProbe([one], probe);
        rows.push(row);
        hear(row);
      }
    }
    return rows;
  });
}
