import { workerData } from 'node:worker_threads';
import type { Database, Sqlite } from './sqlite.ts';

/**
 * The most that a statement of a stranger can use, by SQLite's names. A single step cannot be interrupted, so all are small:
 * the time of instr() and replace() grows with the product of the lengths of two texts.
 */
const limits = {
  /** Bytes of a text, a value or a row. */
  SQLITE_LIMIT_LENGTH: 30_000,
  SQLITE_LIMIT_SQL_LENGTH: 20_000,
  SQLITE_LIMIT_COLUMN: 200,
  SQLITE_LIMIT_EXPR_DEPTH: 100,
  SQLITE_LIMIT_PARSER_DEPTH: 100,
  SQLITE_LIMIT_COMPOUND_SELECT: 50,
  SQLITE_LIMIT_FUNCTION_ARG: 60,
  SQLITE_LIMIT_ATTACHED: 0,
  SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 100,
  SQLITE_LIMIT_TRIGGER_DEPTH: 1,
} as const;

/** The most characters of a statement. */
export const maxStatement = limits.SQLITE_LIMIT_SQL_LENGTH;

/** How many operations of the engine run between two checks of the time. */
const checkEvery = 1_000;
/** Memory that a statement can add, in bytes. It holds what SQLite sorts and groups. */
const maxMemory = 96 * 1024 * 1024;

/** Tells the main thread that a statement goes on. */
const pulse = new Int32Array(workerData instanceof SharedArrayBuffer ? workerData : new SharedArrayBuffer(4));

/** Why a statement was interrupted. */
export type Interruption = 'time' | 'memory';

export interface Bounds {
  interrupted(): Interruption | undefined;
  /** Whether the time is over, checked between two rows. */
  isOver(): boolean;
  end(): void;
}

/** Bounds what runs on the database in size, time and memory until `end`. */
export function boundStatement({ capi, wasm }: Sqlite, database: Database, timeMs: number): Bounds {
  const names = Object.keys(limits) as (keyof typeof limits)[];
  const before = names.map((name) => [name, capi.sqlite3_limit(database, capi[name], limits[name])] as const);
  const until = performance.now() + timeMs;
  const memory = wasm.heap8u().byteLength;
  let interrupted: Interruption | undefined;
  const check = () => {
    Atomics.add(pulse, 0, 1);
    if (performance.now() > until) interrupted = 'time';
    else if (wasm.heap8u().byteLength - memory > maxMemory) interrupted = 'memory';
    return interrupted === undefined ? 0 : 1;
  };
  capi.sqlite3_progress_handler(database, checkEvery, check, 0);
  return {
    interrupted: () => interrupted,
    isOver: () => check() === 1,
    end: () => {
      capi.sqlite3_progress_handler(database, 0, 0, 0);
      for (const [name, value] of before) capi.sqlite3_limit(database, capi[name], value);
    },
  };
}
