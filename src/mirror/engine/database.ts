import { publicTables } from '../schema/tables.ts';
import { hiddenNames } from './authorizer.ts';
import { addDecimalSum } from './decimal-sum.ts';
import { runGuarded } from './guarded-query.ts';
import { openImage, pageLength } from './image.ts';
import type { Cell, Requests, Statement } from './messages.ts';
import { installPageVfs } from './page-vfs.ts';
import { createPages, type Pages } from './pages.ts';
import { collectRows, type RowSink, writeCsv } from './row-sinks.ts';
import { type Database, loadSqlite, type Sqlite } from './sqlite.ts';

/** Answers the requests of the main thread, one after the other. */
export type Handlers = {
  readonly [Name in keyof Requests]: (args: Requests[Name]['args']) => Requests[Name]['answer'];
};

function cellOf(value: unknown): Cell {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  return typeof value === 'string' || typeof value === 'number' ? value : null;
}

/**
 * Sorting is a step that nothing interrupts: it sorts no more than this at once, then merges up to 16 such parts row by row.
 * Kilobytes.
 */
const sortedAtOnce = 4_000;

/** SQLite trusts no schema and no text in double quotes, and keeps its own tables read-only, whatever a file holds. */
function harden({ capi }: Sqlite, database: Database): void {
  capi.sqlite3_db_config(database, capi.SQLITE_DBCONFIG_DEFENSIVE, 1, 0);
  capi.sqlite3_db_config(database, capi.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, 0);
  capi.sqlite3_db_config(database, capi.SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, 0);
  capi.sqlite3_db_config(database, capi.SQLITE_DBCONFIG_DQS_DML, 0, 0);
}

/**
 * Loads SQLite, without a database. `takeFailure` returns why a request failed, if its pages could not be read.
 */
export async function createDatabase(): Promise<{ handlers: Handlers; takeFailure: () => unknown }> {
  const sqlite = await loadSqlite();
  const vfs = installPageVfs(sqlite);
  let pages = createPages();
  let database = openOn(pages, false);

  function openOn(given: Pages, isReadOnly: boolean): Database {
    const created = vfs.open(given, isReadOnly);
    // What survives a killed process is the file, so the journal only has to undo statements.
    created.exec(
      `PRAGMA page_size = ${pageLength}; PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF;
      PRAGMA locking_mode = EXCLUSIVE; PRAGMA cache_size = -${sortedAtOnce}`,
    );
    harden(sqlite, created);
    addDecimalSum(sqlite, created);
    return created;
  }

  function replace(given: Pages, isReadOnly: boolean): void {
    database.close();
    pages.close();
    pages = given;
    database = openOn(given, isReadOnly);
  }

  function select({ sql, values = [] }: Statement): Cell[][] {
    const rows = database.selectArrays(sql, values.length > 0 ? [...values] : undefined);
    return rows.map((row) => row.map(cellOf));
  }

  function run(statement: { sql: string; timeMs: number }, sink: RowSink) {
    const readable = { tables: publicTables, hidden: hiddenNames(database, publicTables) };
    return runGuarded(sqlite, database, readable, statement, sink);
  }

  const handlers: Handlers = {
    open: ({ file, exported, isReadOnly = false }) => {
      const image = file === undefined ? undefined : openImage(file);
      replace(createPages(image === undefined ? { ...(exported && { exported }) } : { image }), isReadOnly);
      return image?.header;
    },
    write: ({ statements }) => {
      database.transaction(() => {
        for (const { sql, values = [] } of statements) {
          database.exec(values.length > 0 ? { sql, bind: [...values] } : { sql });
        }
      });
      return pages.unsaved();
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
    save: ({ file, about }) => pages.save(file, about),
    export: () => pages.export(),
    memory: () => sqlite.wasm.heap8u().byteLength,
  };
  return { handlers, takeFailure: vfs.takeFailure };
}
