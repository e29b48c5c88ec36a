import { open, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { atEnd } from '../support/at-end.ts';
import { temporaryFolder } from '../support/sandbox.ts';
import type { Benchmark } from './benchmark.ts';
import { count, megabytes, milliseconds } from './figures.ts';
import { academyMcp, type McpProcess, openSandbox, openServer } from './processes.ts';
import { interleave, median, p95, quantile, timed } from './statistics.ts';

const quartile = (times: readonly number[]) => quantile(times, 0.25);

/** Each subject once in every round: the time that a disk takes for a sync changes within seconds. */
const rounds = { rounds: 300, warmUps: 20 };

export const journal: Benchmark = {
  name: 'journal',
  title: 'A write with the journal',
  run: async () => {
    const folder = await temporaryFolder();
    const file = join(folder, 'journal.jsonl');
    const sandbox = await openSandbox(['--rate-limit', 'off']);
    const common = { ...sandbox.environment, ACADEMY_RATE_LIMIT: 'off' };
    let price = 10;
    const updating = async (place: string) => {
      const server = await openServer(academyMcp({ ...common, ACADEMY_JOURNAL: place }));
      const update = async () => {
        price += 1;
        const args = { product_type: 'course', id_or_slug: '5', price: `${price}.00` };
        const { isError, text } = await server.callTool('update_product', args);
        if (isError) throw new Error(text);
      };
      return () => timed(update);
    };
    const [without, inMemory, inFile] = [await updating('off'), await updating('memory'), await updating(file)];
    await inFile();
    const lines = (await readFile(file, 'utf8')).trim().split('\n');
    const handle = await open(join(folder, 'lines'), 'a');
    atEnd(() => handle.close());
    /** Apart by a request, as in a write: a disk takes less for a sync right after another. */
    const syncing = async () => {
      let sum = 0;
      for (const line of lines.slice(0, 2)) {
        sum += await timed(async () => {
          await handle.appendFile(`${line}\n`);
          await handle.datasync();
        });
        await sandbox.get('/api/v1/products/course/5');
      }
      return sum;
    };
    const subjects = [
      { name: '`update_product` without a journal', work: without },
      { name: '`update_product`, journal in memory', work: inMemory },
      { name: '`update_product`, journal in a file', work: inFile },
      { name: 'two lines of its size, each synced to the disk', work: syncing },
    ];
    const results = await interleave(subjects, rounds, ({ work }) => work());
    const all = results.map(({ subject, samples }) => ({ name: subject.name, times: samples }));
    const [base = 0, kept = 0, journaled = 0, synced = 0] = all.map(({ times }) => quartile(times));
    return {
      tables: [
        {
          columns: ['Sequential writes', 'Lower quartile, ms', 'Median, ms', 'p95, ms'],
          rows: all.map(({ name, times }) => [name, ...[quartile, median, p95].map((of) => milliseconds(of(times)))]),
        },
      ],
      notes: [
        `By the lower quartiles, since other work makes the threads of a sync wait, a journal adds ${milliseconds(Math.max(0, kept - base))} ms to a write without a disk and, in a file, ${milliseconds(Math.max(0, journaled - base - synced))} ms beside the two syncs. Target: at most 1 ms.`,
        'Through stdio to the program and from there to the sandbox, each write with one read of the old values before it. File and synced lines are in the folder for temporary files.',
      ],
    };
  },
};

const orders = 200_000;
const students = 50_000;
const runs = 5;

const paid = "status IN ('paid', 'wallet_executed') AND amount_e4 > 0";
const statements: readonly [string, string][] = [
  [
    'revenue by month and currency, on whole numbers',
    `SELECT month, currency, sum(amount_e4) FROM orders WHERE ${paid} GROUP BY 1, 2`,
  ],
  ['the same, with decimal_sum', `SELECT month, currency, decimal_sum(amount) FROM orders WHERE ${paid} GROUP BY 1, 2`],
  ['rows of sales', 'SELECT count(*) FROM sales'],
  [
    'products by number of sales',
    'SELECT kind, product_id, max(title), count(*) AS n FROM sales GROUP BY 1, 2 ORDER BY n DESC LIMIT 10',
  ],
  [
    'who holds one course and not another',
    "SELECT email FROM holdings WHERE kind = 'course' AND product_id = 1 AND email_key NOT IN (SELECT email_key FROM holdings WHERE kind = 'course' AND product_id = 2)",
  ],
  ['orders of one day', "SELECT count(*) FROM orders WHERE day = '2026-01-05'"],
];

async function startWith(environment: Record<string, string>): Promise<McpProcess> {
  const server = await openServer(academyMcp(environment));
  await server.request('tools/list');
  return server;
}

async function query(server: McpProcess, sql: string): Promise<void> {
  const { isError, text } = await server.callTool('query_data', { sql });
  if (isError) throw new Error(`${sql}: ${text}`);
}

async function report(server: McpProcess): Promise<void> {
  const { text, structured } = await server.callTool('sales_report', { period: 'all_time' });
  if (Object(structured?.coverage).source !== 'mirror') throw new Error(`sales_report was not of the mirror: ${text}`);
}

async function isFilled(server: McpProcess): Promise<boolean> {
  const { structured } = await server.callTool('describe_data', {});
  return Object(structured?.coverage).complete === true;
}

async function fill(server: McpProcess): Promise<void> {
  while (!(await isFilled(server))) await sleep(250);
  await query(server, 'SELECT 1');
}

/** The first question to a reopened file: one that reads few pages. */
const newest = 'SELECT id, amount, currency FROM orders ORDER BY created_ms DESC LIMIT 10';

/** From tools/list to the answer. */
async function reopen(environment: Record<string, string>) {
  const server = await startWith(environment);
  const ms = await timed(() => query(server, newest));
  const memory = server.memory();
  await server.close();
  return { ms, memory };
}

/** From tools/list to the first answer of a program without a mirror. */
async function startPlain(environment: Record<string, string>): Promise<number> {
  const server = await startWith(environment);
  const ms = await timed(() => server.callTool('get_account', {}));
  await server.close();
  return ms;
}

async function statementRow(server: McpProcess, [name, sql]: readonly [string, string]): Promise<string[]> {
  const samples: number[] = [];
  for (let run = 0; run < runs; run += 1) samples.push(await timed(() => query(server, sql)));
  return [name, milliseconds(median(samples))];
}

export const mirror: Benchmark = {
  name: 'mirror',
  title: 'The mirror',
  run: async () => {
    const flags = ['--orders', String(orders), '--students', String(students), '--rate-limit', 'off'];
    const { environment } = await openSandbox(flags);
    const file = join(await temporaryFolder(), 'mirror.db');
    const settings = { ...environment, ACADEMY_RATE_LIMIT: 'off', ACADEMY_MIRROR: file };
    const filling = await startWith(settings);
    const fillMs = await timed(() => fill(filling));
    const rows: string[][] = [];
    for (const statement of statements) rows.push(await statementRow(filling, statement));
    const peak = filling.memory()?.peak;
    const reportMs = await timed(() => report(filling));
    const reportPeak = filling.memory()?.peak;
    await filling.close();
    const reopened: Awaited<ReturnType<typeof reopen>>[] = [];
    const plain: number[] = [];
    for (let run = 0; run < runs; run += 1) {
      reopened.push(await reopen(settings));
      plain.push(await startPlain({ ...environment, ACADEMY_RATE_LIMIT: 'off' }));
    }
    const medianOf = (times: readonly number[]) => `${milliseconds(median(times))} ms`;
    const sizes = [
      ['filled, without a request limit', `${count(fillMs / 1000)} s`],
      ['peak memory of the program until then, MB', megabytes(peak)],
      ['sales_report of all time, from the mirror', `${count(reportMs)} ms`],
      ['peak memory of the program with that report, MB', megabytes(reportPeak)],
      ['file, MB', megabytes((await stat(file)).size)],
      ['from tools/list to the newest orders of the reopened file', medianOf(reopened.map(({ ms }) => ms))],
      ['from tools/list to the first answer of get_account, without a mirror', medianOf(plain)],
      ['memory of the program with the reopened file, MB', megabytes(reopened[0]?.memory?.now)],
    ];
    return {
      tables: [
        { columns: [`${count(orders)} orders, ${count(students)} students`, ''], rows: sizes },
        { columns: ['Statement through query_data', 'Median, ms'], rows },
      ],
      notes: [
        'The sandbox runs beside the program and takes part of its time. The first call of a program also loads most of its code, with or without a mirror. The program opens the mirror 100 ms after tools/list, or at the first question, so that the list is never late.',
        'sales_report reads every order into memory.',
      ],
    };
  },
};
