import sqlite3InitModule, { type Database, type Sqlite3Static as Sqlite } from '@sqlite.org/sqlite-wasm';
import { type Decimal, parseDecimal } from '../../contract/schemas/decimal.ts';
import { sumOf, writeDecimal } from '../../insights/money.ts';
import { type Cell, RefusedError, type Statement } from './messages.ts';

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

function open({ capi, oo1 }: Sqlite): Database {
  const database = new oo1.DB(':memory:');
  database.exec(`PRAGMA page_size = ${pageLength}; PRAGMA cache_size = -${sortedAtOnce}`);
  // SQLite trusts no schema and no text in double quotes, whatever a file holds.
  capi.sqlite3_db_config(database, capi.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, 0);
  capi.sqlite3_db_config(database, capi.SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, 0);
  capi.sqlite3_db_config(database, capi.SQLITE_DBCONFIG_DQS_DML, 0, 0);
  return database;
}

/**
 * The database that is filled. It is kept as single pages, and filled and exported page by page: SQLite's own way needs its size
 * again in a memory that never shrinks.
 */
export function openOwn(sqlite: Sqlite, bytes?: Uint8Array): Database {
  const database = open(sqlite);
  if (bytes === undefined) return database;
  database.exec('BEGIN');
  const insert = database.prepare('INSERT INTO sqlite_dbpage (pgno, data) VALUES (?, ?)');
  for (let at = 0; at < bytes.length; at += pageLength) {
    insert.bind(1, at / pageLength + 1).bindAsBlob(2, bytes.subarray(at, at + pageLength));
    insert.stepReset();
  }
  insert.finalize();
  // SQLite has read the first page and the empty schema before: undoing a change of that page makes it read both again.
  database.exec('COMMIT; BEGIN; PRAGMA user_version = 1; ROLLBACK; PRAGMA writable_schema = RESET');
  return database;
}

/** The pages of the database, each valid until the next one. */
export function* pagesOf({ capi, wasm }: Sqlite, database: Database): Generator<Uint8Array> {
  const select = database.prepare('SELECT data FROM sqlite_dbpage');
  try {
    while (select.step()) {
      const start = Number(capi.sqlite3_column_blob(select, 0));
      yield wasm.heap8u().subarray(start, start + pageLength);
    }
  } finally {
    select.finalize();
  }
}

/** The bytes of the database, which `openOwn` and `openSnapshot` open. */
export function exportPages(sqlite: Sqlite, database: Database): Uint8Array {
  const bytes = new Uint8Array(Number(database.selectValue('PRAGMA page_count')) * pageLength);
  let at = 0;
  for (const page of pagesOf(sqlite, database)) {
    bytes.set(page, at);
    at += pageLength;
  }
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

/** A database that nothing can change, without the modules of SQLite that can be read like tables. */
export function openSnapshot(sqlite: Sqlite, bytes: Uint8Array): Database {
  const { capi, wasm } = sqlite;
  const database = open(sqlite);
  const start = wasm.alloc(bytes.length);
  wasm.heap8u().set(bytes, Number(start));
  const flags = capi.SQLITE_DESERIALIZE_FREEONCLOSE | capi.SQLITE_DESERIALIZE_READONLY;
  const code = capi.sqlite3_deserialize(database, 'main', start, bytes.length, bytes.length, flags);
  if (code !== capi.SQLITE_OK) throw new RefusedError('damaged', 'the snapshot cannot be opened');
  capi.sqlite3_db_config(database, capi.SQLITE_DBCONFIG_DEFENSIVE, 1, 0);
  capi.sqlite3_drop_modules(database, 0);
  addDecimalSum(sqlite, database);
  for (const [name, value] of Object.entries(limits)) {
    capi.sqlite3_limit(database, capi[name as keyof typeof limits], value);
  }
  return database;
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
