import sqlite3InitModule, { type Database, type Sqlite3Static as Sqlite } from '@sqlite.org/sqlite-wasm';
import { type Decimal, parseDecimal } from '../../contract/schemas/decimal.ts';
import { sumOf, writeDecimal } from '../../insights/money.ts';
import { type Cell, partLength, type Statement } from './messages.ts';

export type { Database, Sqlite };

const silent = () => {};

/** Loads SQLite. It prints failing statements otherwise, which may quote data of students. */
export async function loadSqlite(): Promise<Sqlite> {
  const quiet = { warn: silent, error: silent, log: silent, debug: silent };
  Object.assign(globalThis, { sqlite3ApiConfig: quiet });
  const sqlite = await sqlite3InitModule();
  Object.assign(sqlite.config, quiet);
  return sqlite;
}

/** Bytes of a page. */
const pageLength = 8_192;

/**
 * Sorting is a step that nothing interrupts: it sorts no more than this at once, then merges up to 16 such parts row by row.
 * Kilobytes.
 */
const sortedAtOnce = 4_000;

/** An empty database, in single pages of memory: one block for all would be copied whenever it grows, and never shrink. */
export function openEmpty({ capi, oo1 }: Sqlite): Database {
  const database = new oo1.DB(':memory:');
  database.exec(`PRAGMA page_size = ${pageLength}; PRAGMA cache_size = -${sortedAtOnce}`);
  // SQLite trusts no schema and no text in double quotes, whatever a file holds.
  capi.sqlite3_db_config(database, capi.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, 0);
  capi.sqlite3_db_config(database, capi.SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, 0);
  capi.sqlite3_db_config(database, capi.SQLITE_DBCONFIG_DQS_DML, 0, 0);
  return database;
}

/** Fills an empty database with the pages of another one. Nothing of them is used before `end`. */
export function startLoading({ capi, wasm }: Sqlite, database: Database) {
  const { sqlite3_bind_blob, sqlite3_bind_int, sqlite3_step, sqlite3_reset } = wasm.exports;
  const place = Number(wasm.alloc(partLength));
  database.exec('BEGIN');
  const insert = database.prepare('INSERT INTO sqlite_dbpage (pgno, data) VALUES (?, ?)');
  let page = 0;
  return {
    add: (bytes: Uint8Array) => {
      wasm.heap8u().set(bytes, place);
      // The functions of SQLite itself: with those for JavaScript, this takes three times as long.
      for (let at = 0; at < bytes.length; at += pageLength) {
        page += 1;
        sqlite3_bind_int(insert.pointer, 1, page);
        sqlite3_bind_blob(insert.pointer, 2, place + at, pageLength, 0);
        if (sqlite3_step(insert.pointer) !== capi.SQLITE_DONE) throw new Error('the database could not be loaded');
        sqlite3_reset(insert.pointer);
      }
    },
    end: () => {
      insert.finalize();
      wasm.dealloc(place);
      // SQLite has read the first page and the empty schema before: undoing a change of that page makes it read both again.
      database.exec('COMMIT; BEGIN; PRAGMA user_version = 1; ROLLBACK; PRAGMA writable_schema = RESET');
    },
  };
}

/** A part of the database, from this byte on; no bytes after the last part. */
export function exportPart({ capi, wasm }: Sqlite, database: Database, from: number): Uint8Array {
  const length = Number(database.selectValue('PRAGMA page_count')) * pageLength;
  const bytes = new Uint8Array(Math.max(0, Math.min(length - from, partLength)));
  const select = database.prepare('SELECT data FROM sqlite_dbpage WHERE pgno = ?');
  for (let at = 0; at < bytes.length; at += pageLength) {
    select.bind(1, (from + at) / pageLength + 1).step();
    const start = Number(capi.sqlite3_column_blob(select, 0));
    bytes.set(wasm.heap8u().subarray(start, start + pageLength), at);
    select.reset();
  }
  select.finalize();
  return bytes;
}

/**
 * The most that a statement on a snapshot can use, by SQLite's names. A single step cannot be interrupted, so all are small: the
 * time of instr() and replace() grows with the product of the lengths of two texts.
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

/** Makes a database that nothing can change, without the modules of SQLite that can be read like tables. */
export function seal(sqlite: Sqlite, database: Database): void {
  const { capi } = sqlite;
  database.exec('PRAGMA query_only = ON');
  capi.sqlite3_db_config(database, capi.SQLITE_DBCONFIG_DEFENSIVE, 1, 0);
  capi.sqlite3_drop_modules(database, 0);
  addDecimalSum(sqlite, database);
  for (const [name, value] of Object.entries(limits)) {
    capi.sqlite3_limit(database, capi[name as keyof typeof limits], value);
  }
}

/** Adds `decimal_sum(amount)` to the database: SQLite's own sum of decimal text is a rounded floating point number. */
function addDecimalSum({ capi }: Sqlite, database: Database): void {
  const sums = new Map<unknown, Decimal>();
  database.createFunction({
    name: 'decimal_sum',
    arity: 1,
    deterministic: true,
    innocuous: true,
    xStep: (context: number, value: unknown) => {
      const isAmount = typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint';
      const amount = isAmount ? parseDecimal(String(value)) : undefined;
      if (amount === undefined) return;
      const key = capi.sqlite3_js_aggregate_context(context, 1);
      const sum = sums.get(key);
      sums.set(key, sum === undefined ? amount : sumOf(sum, amount));
    },
    xFinal: (context: number) => {
      const key = capi.sqlite3_js_aggregate_context(context, 0);
      const sum = sums.get(key);
      sums.delete(key);
      return sum === undefined ? null : writeDecimal(sum);
    },
  });
}

function cellOf(value: unknown): Cell {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  return typeof value === 'string' || typeof value === 'number' ? value : null;
}

/** The rows of a statement of this program. */
export function select(database: Database, { sql, values = [] }: Statement): Cell[][] {
  const rows = database.selectArrays(sql, values.length > 0 ? [...values] : undefined);
  return rows.map((row) => row.map(cellOf));
}
