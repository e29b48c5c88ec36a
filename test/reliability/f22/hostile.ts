import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { type Engine, startEngine } from '../../../src/mirror/engine/engine.ts';
import { createSchema } from '../../../src/mirror/schema/create.ts';
import type { Size } from '../figure.ts';
import { hostileStatements } from './hostile-statements.ts';

export interface HostileRun {
  readonly statements: number;
  readonly failures: string[];
  /** The longest statement, in milliseconds. */
  readonly slowest: number;
  /** Statements after which the thread had to be started again. */
  readonly restarts: number;
  /** The memory that the engine kept, in bytes. */
  readonly kept: number;
}

/** The time of a statement in milliseconds: the program's own in the whole form. */
const timeMs: Record<Size, number> = { short: 60, whole: 2_000 };
const slowestMs = 2_500;

/** A mirror with enough orders that a careless statement over them takes long. */
async function open(orders: number): Promise<Engine> {
  const engine = startEngine();
  await engine.request('open', {});
  await engine.request('write', { statements: createSchema });
  const sql = `WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < ?)
    INSERT INTO orders (id, name, status, amount, amount_e4, currency) SELECT 'o' || n, 'Name ' || n, 'paid', '9.90', 99000, 'EUR' FROM number`;
  await engine.request('write', { statements: [{ sql, values: [orders] }] });
  return engine;
}

const files = () => JSON.stringify([readdirSync('.'), readdirSync(tmpdir()).filter((name) => /mine/.test(name))]);

/** Sends each hostile statement to an engine, and looks what is left of it. */
export async function runHostile(size: Size): Promise<HostileRun> {
  let engine = await open(size === 'short' ? 300 : 20_000);
  const before = Buffer.from(await engine.request('export', {}));
  const memory = await engine.request('memory', {});
  const filesBefore = files();
  const failures: string[] = [];
  let slowest = 0;
  let restarts = 0;
  let kept = 0;
  for (const { family, sql } of hostileStatements) {
    const start = performance.now();
    await engine.query(sql, { maxRows: 200, timeMs: timeMs[size] }).catch(() => {});
    const took = performance.now() - start;
    slowest = Math.max(slowest, took);
    if (size === 'whole' && took > slowestMs)
      failures.push(`${family} took ${Math.round(took)} ms: ${sql.slice(0, 80)}`);
    const now = await engine.request('memory', {}).catch(() => undefined);
    if (now !== undefined) {
      kept = Math.max(kept, now - memory);
      continue;
    }
    restarts += 1;
    engine = startEngine();
    await engine.request('open', { exported: Uint8Array.from(before) });
  }
  const isSame = before.equals(await engine.request('export', {}));
  if (!isSame) failures.push('the database has changed');
  if (files() !== filesBefore) failures.push('there are new files');
  await engine.close();
  return { statements: hostileStatements.length, failures, slowest, restarts, kept };
}
