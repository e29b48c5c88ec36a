import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Switch } from '../switches/switch.ts';
import { probesNamed } from './probes/index.ts';
import { isRecord, type Judged } from './verdict.ts';

export interface Row extends Judged {
  readonly switches: string;
  readonly probe: string;
}

/** Far from UTC: a time without a zone that is read in the machine's zone is detected. */
const farAway = 'America/Los_Angeles';

/** Runs work in that time zone, and restores the previous one. */
export async function awayFromUtc<Result>(work: () => Promise<Result>): Promise<Result> {
  const before = process.env.TZ;
  process.env.TZ = farAway;
  try {
    return await work();
  } finally {
    if (before === undefined) delete process.env.TZ;
    else process.env.TZ = before;
  }
}

// A wrong answer can end the process: each lane is a child process, and continues in a new one if it ends.

const script = fileURLToPath(new URL('./child.ts', import.meta.url));

/** Each is a switch and a question. */
export const pairsOf = (switches: readonly Switch[]): string[] =>
  switches.flatMap((one) => probesNamed(one.probes).map(({ name }) => `${one.name} ${name}`));

/** Judges pairs in one child process until it ends; the pair at which it ended is WRONG. */
async function oneChild(pairs: readonly string[], hear: (row: Row) => void): Promise<number> {
  const child = spawn(process.execPath, ['--import', 'tsx', '--max-old-space-size=1500', script], {
    env: { ...process.env, TZ: farAway },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  child.stdin.on('error', () => {});
  child.stdin.end(JSON.stringify(pairs));
  let done = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    const said: unknown = JSON.parse(line);
    if (!isRecord(said) || said.verdict === undefined) continue;
    done += 1;
    hear(said as unknown as Row);
  }
  await ended;
  if (done === pairs.length) return done;
  const [name = '', probe = ''] = pairs[done]?.split(' ') ?? [];
  hear({ switches: name, probe, verdict: 'WRONG', why: 'the process ended' });
  return done + 1;
}

/** Judges every question that these switches affect, in two lanes. */
export async function judgeApart(switches: readonly Switch[], hear: (row: Row) => void = () => {}): Promise<Row[]> {
  const rows = new Map<string, Row>();
  const keep = (row: Row) => {
    rows.set(`${row.switches} ${row.probe}`, row);
    hear(row);
  };
  const lane = async (number: number) => {
    const pairs = pairsOf(switches.filter((_one, index) => index % 2 === number));
    for (let done = 0; done < pairs.length; ) done += await oneChild(pairs.slice(done), keep);
  };
  await Promise.all([lane(0), lane(1)]);
  return pairsOf(switches).flatMap((pair) => rows.get(pair) ?? []);
}
