import sqlite3InitModule, { type Database, type Sqlite3Static as Sqlite } from '@sqlite.org/sqlite-wasm';
import { type Decimal, parseDecimal } from '../../contract/schemas/decimal.ts';
import { sumOf, writeDecimal } from '../../insights/money.ts';
import type { Cell, Image, Statement } from './messages.ts';

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

/** Kilobytes that are sorted at once, since nothing interrupts that step. Up to 16 such parts are merged row by row. */
const sortedAtOnce = 4_000;

const vfsName = 'image';

/** Makes SQLite read and write the bytes of this image as its only file. What is temporary is in its own memory. */
export function installVfs({ capi, wasm, vfs: registry }: Sqlite, image: () => Image): void {
  const { SQLITE_OK: ok } = capi;
  const vfs = new capi.sqlite3_vfs();
  const usual = new capi.sqlite3_vfs(Number(capi.sqlite3_vfs_find(null as never)));
  // Time and randomness are those of the usual one.
  for (const name of ['$szOsFile', '$xRandomness', '$xSleep', '$xCurrentTime', '$xCurrentTimeInt64']) {
    Reflect.set(vfs, name, Reflect.get(usual, name));
  }
  Object.assign(vfs, { $iVersion: 2, $mxPathname: 64 });
  const io = Object.assign(new capi.sqlite3_io_methods(), { $iVersion: 1 });
  const ioMethods = {
    xRead: (_file: number, into: number, length: number, position: bigint) => {
      const from = Number(position);
      const found = image().bytes(from, from + length);
      const heap = wasm.heap8u();
      heap.set(found, into);
      heap.fill(0, into + found.length, into + length);
      return found.length === length ? ok : capi.SQLITE_IOERR_SHORT_READ;
    },
    xWrite: (_file: number, from: number, length: number, position: bigint) => {
      const at = Number(position);
      const written = image();
      try {
        written.resize(Math.max(written.bytes().length, at + length));
      } catch {
        return capi.SQLITE_FULL;
      }
      written.bytes(at).set(wasm.heap8u().subarray(from, from + length));
      return ok;
    },
    xTruncate: (_file: number, length: bigint) => {
      image().resize(Number(length));
      return ok;
    },
    xFileSize: (_file: number, into: number) => {
      wasm.poke64(into, BigInt(image().bytes().length));
      return ok;
    },
    xFileControl: () => capi.SQLITE_NOTFOUND,
    xDeviceCharacteristics: () => 0,
    // Nothing else opens it, and it is written to disk as a whole. Each is a function of its own: SQLite has its signature.
    xClose: () => ok,
    xSync: () => ok,
    xLock: () => ok,
    xUnlock: () => ok,
  };
  const vfsMethods = {
    xOpen: (_vfs: number, _name: number, file: number, flags: number, outFlags: number) => {
      if ((flags & capi.SQLITE_OPEN_MAIN_DB) === 0) return capi.SQLITE_CANTOPEN;
      const opened = Object.assign(new capi.sqlite3_file(file), { $pMethods: io.pointer });
      opened.dispose();
      if (outFlags) wasm.poke32(outFlags, flags);
      return ok;
    },
    // There is no journal.
    xAccess: (_vfs: number, _name: number, _flags: number, into: number) => {
      wasm.poke32(into, 0);
      return ok;
    },
    xFullPathname: (_vfs: number, from: number, length: number, into: number) =>
      wasm.cstrncpy(into, from, length) < length ? ok : capi.SQLITE_CANTOPEN,
  };
  registry.installVfs({
    io: { struct: io, methods: ioMethods as never },
    vfs: { struct: vfs, methods: vfsMethods as never, name: vfsName },
  });
}

export function openImage({ capi, oo1 }: Sqlite, flags: 'c' | 'r'): Database {
  const database = new oo1.DB({ filename: 'mirror', flags, vfs: vfsName });
  database.exec(`PRAGMA page_size = 8192; PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF;
    PRAGMA temp_store = MEMORY; PRAGMA cache_size = -${sortedAtOnce}`);
  // SQLite trusts no schema and no text in double quotes: a file may hold anything.
  capi.sqlite3_db_config(database, capi.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, 0);
  capi.sqlite3_db_config(database, capi.SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, 0);
  capi.sqlite3_db_config(database, capi.SQLITE_DBCONFIG_DQS_DML, 0, 0);
  return database;
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

/** What SQLite can allocate for statements of callers, in bytes. It holds what is sorted and grouped, and never shrinks. */
const maxMemory = 96 * 1024 * 1024;

/** Makes a database that nothing can change, without the modules of SQLite that can be read like tables. */
export function seal(sqlite: Sqlite, database: Database): void {
  const { capi } = sqlite;
  database.exec(`PRAGMA query_only = ON; PRAGMA hard_heap_limit = ${maxMemory}`);
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

export function select(database: Database, { sql, values = [] }: Statement): Cell[][] {
  // Nothing that it stores is a blob or a number beyond 2^53.
  return database.selectArrays(sql, values.length > 0 ? [...values] : undefined) as Cell[][];
}
