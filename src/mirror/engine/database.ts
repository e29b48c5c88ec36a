import { closeSync, constants, openSync } from 'node:fs';
import { publicTables } from '../schema/tables.ts';
import { hiddenNames } from './authorizer.ts';
import { addDecimalSum } from './decimal-sum.ts';
import { runGuarded } from './guarded-query.ts';
import { readHeader, readPages, writeImage } from './image.ts';
import type { Cell, ImageHeader, Requests, Statement } from './messages.ts';
import { RefusedError } from './refused-error.ts';
import { collectRows, type RowSink, writeCsv } from './row-sinks.ts';
import { type Database, loadSqlite, type Sqlite } from './sqlite.ts';

/** Answers the requests of the main thread, one after the other. */
export type Handlers = {
  readonly [Name in keyof Requests]: (args: Requests[Name]['args']) => Requests[Name]['answer'];
};

const noFollow = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0);

function cellOf(value: unknown): Cell {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  return typeof value === 'string' || typeof value === 'number' ? value : null;
}

/**
 * Sorting is a step that nothing interrupts: it sorts no more than this at once, then merges up to 16 such parts row by row.
 * Kilobytes.
 */
const sortedAtOnce = 4_000;

/** Bytes of one write when the database is saved. */
const writtenAtOnce = 1024 * 1024;

/** SQLite trusts no schema and no text in double quotes, and keeps its own tables read-only, whatever a file holds. */
function harden({ capi }: Sqlite, database: Database): void {
  capi.sqlite3_db_config(database, capi.SQLITE_DBCONFIG_DEFENSIVE, 1, 0);
  capi.sqlite3_db_config(database, capi.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, 0);
  capi.sqlite3_db_config(database, capi.SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, 0);
  capi.sqlite3_db_config(database, capi.SQLITE_DBCONFIG_DQS_DML, 0, 0);
}

/**
 * The pages of the database, some at a time. All are in one buffer, which the next ones replace: a new one for each would be a
 * second database of garbage for every image.
 */
function* pagesOf({ capi, wasm }: Sqlite, database: Database): Generator<Uint8Array> {
  const buffer = new Uint8Array(writtenAtOnce);
  const statement = database.prepare('SELECT data FROM sqlite_dbpage ORDER BY pgno');
  let used = 0;
  try {
    while (statement.step()) {
      const bytes = capi.sqlite3_column_bytes(statement, 0);
      const start = Number(capi.sqlite3_column_blob(statement, 0));
      if (used + bytes > buffer.length) {
        yield buffer.subarray(0, used);
        used = 0;
      }
      buffer.set(wasm.heap8u().subarray(start, start + bytes), used);
      used += bytes;
    }
    yield buffer.subarray(0, used);
  } finally {
    statement.finalize();
  }
}

/** Loads SQLite with an empty database in memory. */
export async function createDatabase(): Promise<Handlers> {
  const sqlite = await loadSqlite();
  const { capi, wasm, oo1 } = sqlite;
  let database = openEmpty();
  let isReadOnly = false;

  function openEmpty(): Database {
    const created = new oo1.DB(':memory:');
    harden(sqlite, created);
    created.exec(`PRAGMA cache_size = -${sortedAtOnce}`);
    addDecimalSum(sqlite, created);
    return created;
  }

  /** Replaces the database by pages in the engine's memory, which the engine frees. */
  function adopt(start: number, bytes: number): void {
    const { SQLITE_DESERIALIZE_FREEONCLOSE: free, SQLITE_DESERIALIZE_RESIZEABLE: grow } = capi;
    const flags = free | (isReadOnly ? capi.SQLITE_DESERIALIZE_READONLY : grow);
    const code = capi.sqlite3_deserialize(database, 'main', start, bytes, bytes, flags);
    const isWhole =
      code === capi.SQLITE_OK && cellOf(database.selectValue('SELECT count(*) FROM sqlite_schema')) !== null;
    if (!isWhole) throw new RefusedError({ kind: 'damaged', message: 'SQLite cannot open its pages' });
  }

  function allocate(bytes: number): { start: number; pages: Uint8Array } {
    const start = Number(wasm.alloc(bytes));
    return { start, pages: wasm.heap8u().subarray(start, start + bytes) };
  }

  function openFile(file: string): ImageHeader {
    const descriptor = openSync(file, noFollow);
    try {
      const header = readHeader(descriptor);
      const { start, pages } = allocate(header.bytes);
      readPages(descriptor, header, () => pages);
      adopt(start, header.bytes);
      return header;
    } finally {
      closeSync(descriptor);
    }
  }

  function select({ sql, values = [] }: Statement): Cell[][] {
    const rows = database.selectArrays(sql, values.length > 0 ? [...values] : undefined);
    return rows.map((row) => row.map(cellOf));
  }

  function run(statement: { sql: string; timeMs: number }, sink: RowSink) {
    const readable = { tables: publicTables, hidden: hiddenNames(database, publicTables) };
    return runGuarded(sqlite, database, readable, statement, sink);
  }

  return {
    open: ({ file, image, isReadOnly: readOnly = false }) => {
      database.close();
      isReadOnly = readOnly;
      database = openEmpty();
      if (file !== undefined) return openFile(file);
      if (image === undefined) return undefined;
      const { start, pages } = allocate(image.length);
      pages.set(image);
      adopt(start, image.length);
      return undefined;
    },
    write: ({ statements }) => {
      const before = database.changes(true);
      database.transaction(() => {
        for (const { sql, values = [] } of statements) {
          database.exec(values.length > 0 ? { sql, bind: [...values] } : { sql });
        }
      });
      return database.changes(true) - before;
    },
    read: select,
    query: ({ maxRows, ...statement }) => {
      const sink = collectRows(maxRows);
      return { ...run(statement, sink), rows: sink.rows };
    },
    csv: ({ maxBytes, ...statement }) => {
      const sink = writeCsv(maxBytes);
      const result = run(statement, sink);
      return { ...result, csv: sink.end(result.columns), rows: sink.count(), first: sink.first };
    },
    save: ({ file, about }) => writeImage(file, pagesOf(sqlite, database), about),
    export: () => capi.sqlite3_js_db_export(database),
    memory: () => wasm.heap8u().byteLength,
  };
}
