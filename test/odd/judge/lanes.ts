import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Switch } from '../switches/switch.ts';
import { probesNamed } from './probes/index.ts';
import type { Row } from './run.ts';

// A wrong answer can end the process: each lane is a child process, and continues in a new one if it ends.

const script = fileURLToPath(new URL('./child.ts', import.meta.url));

/** A switch and a question in one string. */
type Pair = string;

export const pairsOf = (switches: readonly Switch[]): Pair[] =>
  switches.flatMap((one) => probesNamed(one.probes).map(({ name }) => `${one.name} ${name}`));

function isRow(said: object): said is Row {
  return 'verdict' in said;
}

/** Judges pairs in one child process until it ends; the pair at which it ended is WRONG. */
async function oneChild(pairs: readonly Pair[], hear: (row: Row) => void): Promise<number> {
  const child = spawn(process.execPath, [...process.execArgv, '--max-old-space-size=1500', script], {
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

/** Judges every question that these switches affect, in two lanes. */
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
