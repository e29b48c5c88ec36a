import { readdirSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kill } from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import pino from 'pino';
import { createCallers } from '../../../src/mirror/callers.ts';
import { openStore } from '../../../src/mirror/store.ts';
import type { Sandbox } from '../../../src/sandbox/index.ts';
import { createRandom } from '../../../src/sandbox/seed/random.ts';
import { quantile } from '../../bench/statistics.ts';
import { atEnd } from '../../support/at-end.ts';
import { unlimited } from '../../support/connect.ts';
import { rawOrders } from '../../support/sales.ts';
import { start, temporaryFolder } from '../../support/sandbox.ts';
import { hostileStatements } from '../f22/hostile-statements.ts';
import type { Figure, Size } from '../figure.ts';
import { type BuiltProgram, startHarness, startProgram } from '../programs.ts';

/** One question every two seconds: 30 of 54 requests a minute. The short form asks faster, and less than a minute. */
const trials: Record<Size, { questions: number; everyMs: number; mostSlower: number }> = {
  // A stall of the machine counts among so few. Waiting for the limit would take ten times as long.
  short: { questions: 10, everyMs: 600, mostSlower: 2 },
  whole: { questions: 150, everyMs: 2_000, mostSlower: 1.05 },
};
/** Milliseconds of each answer of the academy, about as long as over the internet. */
const realLatencyMs = 250;
/** More than can be filled meanwhile. */
const academySize = { students: 5_000, orders: 20_000 };

const startWith = (mirror: string) =>
  startHarness({
    sandbox: { ...academySize, latencyMs: realLatencyMs, rateLimit: 60 },
    settings: { ACADEMY_MIRROR: mirror },
  });

async function timeQuestion(program: BuiltProgram, page: number): Promise<number> {
  const started = performance.now();
  await program.call('list_orders', { page, per_page: 1, status: 'all' });
  return performance.now() - started;
}

export async function askWhileFilling(size: Size) {
  const { questions, everyMs, mostSlower } = trials[size];
  const [plain, mirrored] = [await startWith('off'), await startWith('memory')];
  const [without, filling]: [number[], number[]] = [[], []];
  // The filling takes its whole share before the first question.
  await sleep(5_000);
  for (let page = 1; page <= questions; page += 1) {
    const next = sleep(everyMs);
    without.push(await timeQuestion(plain.program, page));
    filling.push(await timeQuestion(mirrored.program, page));
    await next;
  }
  const refused = [...plain.faults.log, ...mirrored.faults.log].filter(({ status }) => status === 429).length;
  const filled = mirrored.faults.log.length - plain.faults.log.length;
  const ratio = quantile(filling, 0.5) / quantile(without, 0.5);
  const failures = [
    ...(ratio > mostSlower ? [`a question took ${ratio.toFixed(2)} times as long while the mirror was filled`] : []),
    ...(refused > 0 ? [`${refused} requests were refused with 429`] : []),
    ...(filled < 10 ? [`the filling sent only ${filled} requests`] : []),
  ];
  return { failures, without, filling, filled, refused };
}

const orders = 1_500;
/** Each answer of the sandbox takes this long, so that filling takes a few seconds. */
const latencyMs = 20;
const earliestMs = 50;
const latestMs = 2_500;
const maxFillMs = 120_000;

async function isFilled(program: BuiltProgram): Promise<boolean> {
  const { structured } = await program.call('describe_data', {});
  return Object(structured?.coverage).complete === true;
}

async function problemsOf(program: BuiltProgram, sandbox: Sandbox): Promise<string[]> {
  const until = performance.now() + maxFillMs;
  while (!(await isFilled(program))) {
    if (performance.now() > until) return ['the mirror was not complete in time'];
    await sleep(200);
  }
  const sql =
    'SELECT count(*) AS n, count(DISTINCT id) AS ids, sum(amount_e4) AS units FROM orders UNION ALL SELECT count(*), count(DISTINCT order_id || kind || product_id), 0 FROM order_items';
  const { structured } = await program.call('query_data', { sql });
  const raw = await rawOrders(sandbox);
  const units = raw.reduce((sum, { amount }) => sum + Math.round(Number(amount) * 10_000), 0);
  const items = raw.flatMap(({ courses, bundles, digital_products }) => [courses, bundles, digital_products].flat());
  const expected = [
    { n: raw.length, ids: raw.length, units },
    { n: items.length, ids: items.length, units: 0 },
  ];
  const [found, wanted] = [JSON.stringify(structured?.rows), JSON.stringify(expected)];
  return found === wanted ? [] : [`the mirror holds ${found}, the academy ${wanted}`];
}

async function killWhileFilling(kills: number, random: () => number) {
  const folder = await temporaryFolder();
  const file = join(folder, 'mirror.db');
  const sandbox = await start({ students: 300, orders, latencyMs });
  const environment = unlimited(sandbox.url, sandbox.apiKey, { ACADEMY_MIRROR: file });
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
  return { failures, saved };
}

/** The time of a statement in milliseconds: the program's own in the whole form. */
const timeMs: Record<Size, number> = { short: 60, whole: 2_000 };
/** A statement that is stuck in one step has a second more, and the next one waits for another thread. */
const slowestMs = 4_000;

async function open(orders: number) {
  const identity = { baseUrl: 'https://academy.example.com/', timezone: 'UTC' };
  const log = pino({ level: 'silent' });
  const store = await openStore({ identity, file: undefined, log, now: () => new Date() });
  const sql = `WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < ?)
    INSERT INTO orders (id, name, status, amount, amount_e4, currency) SELECT 'o' || n, 'Name ' || n, 'paid', '9.90', 99000, 'EUR' FROM number`;
  await store.write([{ sql, values: [orders] }]);
  const callers = createCallers({ store, describe: async () => undefined });
  atEnd(() => store.close());
  atEnd(() => callers.close());
  return { store, callers };
}

const files = () => JSON.stringify([readdirSync('.'), readdirSync(tmpdir()).filter((name) => /mine/.test(name))]);

async function runHostile(size: Size) {
  const { store, callers } = await open(size === 'short' ? 300 : 20_000);
  const rows = async () => JSON.stringify(await store.read('SELECT * FROM orders ORDER BY order_no'));
  const before = await rows();
  const filesBefore = files();
  const failures: string[] = [];
  let slowest = 0;
  const asking = { caller: 'hostile', signal: new AbortController().signal };
  for (const { family, sql } of hostileStatements) {
    const start = performance.now();
    await callers.run('query', { sql, maxRows: 200, timeMs: timeMs[size] }, asking).catch(() => {});
    const took = performance.now() - start;
    slowest = Math.max(slowest, took);
    if (size === 'whole' && took > slowestMs)
      failures.push(`${family} took ${Math.round(took)} ms: ${sql.slice(0, 80)}`);
  }
  const counted = await callers.run(
    'query',
    { sql: 'SELECT count(*) FROM orders', maxRows: 1, timeMs: 10_000 },
    asking,
  );
  if (JSON.stringify(counted.rows) !== JSON.stringify(await store.read('SELECT count(*) FROM orders')))
    failures.push('the snapshot has changed');
  if ((await rows()) !== before) failures.push('the database has changed');
  if (files() !== filesBefore) failures.push('there are new files');
  return { statements: hostileStatements.length, failures, slowest };
}

const kills: Record<Size, number> = { short: 4, whole: 200 };
const middle = (times: readonly number[], share = 0.5) => Math.round(quantile(times, share));

export const figure: Figure = {
  id: 'F22',
  title: 'The mirror attacked, killed and waited for',
  target:
    '0 writes, 0 files, no statement above 4 s; 0 rows lost or doubled, no damaged file trusted; a question while a mirror is filled takes at most 5% longer, with no 429 of our own',
  run: async (size, seed) => {
    const random = createRandom('f22', seed);
    const hostile = await runHostile(size);
    const killed = await killWhileFilling(kills[size], () => random.next());
    const { without, filling, filled, refused, ...waited } = await askWhileFilling(size);
    return {
      tried: `${hostile.statements} hostile statements on one database; the built program killed ${kills[size]} times with SIGKILL while it filled one mirror file; ${filling.length} questions of a person at 60 requests a minute, with and without a mirror that is filled`,
      result: `0 writes and 0 files expected, ${hostile.failures.length} problems; slowest statement ${Math.round(hostile.slowest)} ms; ${killed.failures.length} problems after the kills; a question took ${middle(filling)} ms while a mirror was filled and ${middle(without)} ms without one at the median, with ${refused} × 429`,
      details: [
        'families: writes, ATTACH and VACUUM INTO, PRAGMA, functions that read or write files, tables of SQLite and of the program, several statements, comments, invisible characters, text bombs, joins that name no column, steps that nothing interrupts, statements without an end, up to 1,000 joins, deep nesting',
        'a statement that is stuck in a single step, such as a search of one long text in another, ends only the thread of callers; the database that is filled is in another one',
        `${killed.saved} of the kills left a saved file; in the end, every order and product of an order was there once, with the exact sum of all amounts`,
        `questions of one request each, 30 a minute, of which the academy took 250 ms: 95th percentile ${middle(filling, 0.95)} ms while the filling sent ${filled} requests, and ${middle(without, 0.95)} ms without it; the filling starts a request only while all of the last minute are within its share, so a person who needs more than the other 70% within a minute waits for the rest`,
      ],
      failures: [...hostile.failures, ...killed.failures, ...waited.failures],
      zeros: [
        { what: 'hostile statements that wrote, left a file or ran above 4 s', of: hostile.statements },
        { what: 'kills that lost or doubled a row, or left a damaged file', of: kills[size] },
        { what: 'requests refused with 429 while a mirror was filled', of: filled + 2 * filling.length },
      ],
    };
  },
};
