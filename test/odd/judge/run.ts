import { setTimeout as sleep } from 'node:timers/promises';
import { inScope } from '../../support/at-end.ts';
import { maxRequestsAllowed, startOdd } from '../academy/server.ts';
import { must } from '../academy/state.ts';
import type { Switch } from '../switches/switch.ts';
import { isReading, probesNamed } from './probes/index.ts';
import { type Harness, type Judged, type Probe, wrong } from './verdict.ts';

export interface Row extends Judged {
  readonly switches: string;
  readonly probe: string;
}

/** Runs work far from UTC, and restores the time zone: a time without a zone that is read in the machine's zone is detected. */
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

async function startHarness({ rules, kind, lies, words, trusts = false }: Switch): Promise<Harness> {
  const settings = { ACADEMY_MAX_WAIT_MS: '6000', ACADEMY_TIMEOUT_MS: '3000' };
  const { academy, call } = await startOdd([rules], { settings, pace: 0.02 });
  const studentOf = (id: number) => academy.state.students.find((student) => student.id === id);
  const email = (id: number) => must(studentOf(id), `student ${id}`).email;
  return { academy, terms: { kind, trusts, words, lies }, email, call };
}

/** Maximum time of one probe, in milliseconds: an honest answer over loopback takes much less. */
const longest = 40_000;

const late = () => sleep(longest, wrong(`no answer within ${longest / 1000} s`), { ref: false });

async function judgedBy(harness: Harness, probe: Probe): Promise<Judged> {
  const failed = (error: unknown) =>
    wrong(`the call failed: ${error instanceof Error ? error.message : String(error)}`);
  harness.academy.log.splice(0);
  const judged = await Promise.race([probe.judge(harness).catch(failed), late()]);
  const { length } = harness.academy.log;
  return length > maxRequestsAllowed ? wrong(`${length} requests for one answer`) : judged;
}

/** Judges every question that a switch affects. The reads share an academy; every write has its own. */
export function judgeSwitch(one: Switch): Promise<Row[]> {
  return awayFromUtc(() =>
    inScope(async () => {
      const rows: Row[] = [];
      let shared: Harness | undefined;
      for (const probe of probesNamed(one.probes)) {
        if (isReading(probe)) shared ??= await startHarness(one);
        const judged =
          shared !== undefined && isReading(probe)
            ? await judgedBy(shared, probe)
            : await inScope(async () => judgedBy(await startHarness(one), probe));
        rows.push({ switches: one.name, probe: probe.name, ...judged });
      }
      return rows;
    }),
  );
}

export const isFault = ({ verdict }: Row): boolean => verdict === 'WRONG' || verdict === 'worse';
