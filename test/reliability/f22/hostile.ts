import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import pino from 'pino';
import { createCallers } from '../../../src/mirror/callers.ts';
import { openStore } from '../../../src/mirror/store.ts';
import type { Size } from '../figure.ts';
import { hostileStatements } from './hostile-statements.ts';

export interface HostileRun {
  readonly statements: number;
  readonly failures: string[];
  /** The longest statement, in milliseconds. */
  readonly slowest: number;
}

/** The time of a statement in milliseconds: the program's own in the whole form. */
const timeMs: Record<Size, number> = { short: 60, whole: 2_000 };
/** A statement that is stuck in one step has a second more, and the next one waits for another thread. */
const slowestMs = 4_000;

/** A mirror with enough orders that a careless statement over them takes long. */
async function open(orders: number) {
  const identity = { baseUrl: 'https://academy.example.com/', timezone: 'UTC' };
  const log = pino({ level: 'silent' });
  const store = await openStore({ identity, file: undefined, log, now: () => new Date() });
  const sql = `WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < ?)
    INSERT INTO orders (id, name, status, amount, amount_e4, currency) SELECT 'o' || n, 'Name ' || n, 'paid', '9.90', 99000, 'EUR' FROM number`;
  await store.write([{ sql, values: [orders] }]);
  const describe = async () => undefined;
  return { store, callers: createCallers({ store, describe }) };
}

const files = () => JSON.stringify([readdirSync('.'), readdirSync(tmpdir()).filter((name) => /mine/.test(name))]);

/** Sends each hostile statement as a caller, and looks what is left of the database. */
export async function runHostile(size: Size): Promise<HostileRun> {
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
  await callers.close();
  await store.close();
  return { statements: hostileStatements.length, failures, slowest };
}
