import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kill } from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Sandbox, startSandbox } from '../../../src/sandbox/index.ts';
import { type BuiltProgram, startProgram } from '../built-program.ts';

export interface FillingRun {
  readonly failures: string[];
  /** Kills after which a saved file was there. */
  readonly saved: number;
}

const orders = 1_500;
/** Each answer of the sandbox takes this long, so that filling takes a few seconds. */
const latencyMs = 20;
const earliestMs = 50;
const latestMs = 2_500;
const maxFillMs = 120_000;

function environmentOf({ url, apiKey }: Sandbox, file: string): Record<string, string> {
  const academy = { ACADEMY_BASE_URL: url, ACADEMY_API_KEY: apiKey, ACADEMY_RATE_LIMIT: 'off' };
  return { ...academy, ACADEMY_MIRROR: file };
}

async function isFilled(program: BuiltProgram): Promise<boolean> {
  const { data } = await program.call('describe_data', {});
  return Object(data?.coverage).complete === true;
}

/** What the mirror holds in the end, against the raw orders of the academy. */
async function problemsOf(program: BuiltProgram, sandbox: Sandbox): Promise<string[]> {
  const until = performance.now() + maxFillMs;
  while (!(await isFilled(program))) {
    if (performance.now() > until) return ['the mirror was not complete in time'];
    await sleep(200);
  }
  const sql =
    'SELECT count(*) AS n, count(DISTINCT id) AS ids, sum(amount_e4) AS units FROM orders UNION ALL SELECT count(*), count(DISTINCT order_id || kind || product_id), 0 FROM order_items';
  const { data } = await program.call('query_data', { sql });
  const answer = await fetch(`${sandbox.url}/api/v1/orders?status=all`, {
    headers: { authorization: `Bearer ${sandbox.apiKey}` },
  });
  const { orders: raw } = (await answer.json()) as { orders: Record<string, unknown>[] };
  const units = raw.reduce((sum, { amount }) => sum + Math.round(Number(amount) * 10_000), 0);
  const items = raw.flatMap(({ courses, bundles, digital_products }) => [courses, bundles, digital_products].flat());
  const expected = [
    { n: raw.length, ids: raw.length, units },
    { n: items.length, ids: items.length, units: 0 },
  ];
  const [found, wanted] = [JSON.stringify(data?.rows), JSON.stringify(expected)];
  return found === wanted ? [] : [`the mirror holds ${found}, the academy ${wanted}`];
}

/** Kills the program again and again while it fills one file, then lets it finish and compares. */
export async function killWhileFilling(kills: number, random: () => number): Promise<FillingRun> {
  const folder = await mkdtemp(join(tmpdir(), 'academy-reliability-'));
  const file = join(folder, 'mirror.db');
  const sandbox = await startSandbox({ rateLimit: 'off', students: 300, orders, latencyMs });
  const environment = environmentOf(sandbox, file);
  const failures: string[] = [];
  let saved = 0;
  for (let count = 0; count < kills; count += 1) {
    const program = await startProgram({ environment });
    await sleep(earliestMs + random() * (latestMs - earliestMs));
    kill(program.pid, 'SIGKILL');
    await program.close();
    saved += await stat(file).then(
      () => 1,
      () => 0,
    );
    const aside = (await readdir(folder)).filter((name) => name.includes('damaged'));
    if (aside.length > 0) failures.push(`kill ${count + 1}: ${aside.join(', ')}`);
  }
  const last = await startProgram({ environment });
  failures.push(...(await problemsOf(last, sandbox)));
  await last.close();
  await sandbox.close();
  await rm(folder, { recursive: true });
  return { failures, saved };
}
