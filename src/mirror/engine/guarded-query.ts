import { authorizeReading, type Readable } from './authorizer.ts';
import type { QueryResult, Refusal } from './messages.ts';
import { columnNames, readRows } from './read-rows.ts';
import { RefusedError } from './refused-error.ts';
import type { RowSink } from './row-sinks.ts';
import type { Database, Sqlite } from './sqlite.ts';
import { type Bounds, boundStatement, maxStatement } from './statement-limits.ts';

const refuse = (kind: Refusal['kind'], message: string) => new RefusedError({ kind, message });

const onlySelect = 'Only one SELECT (or WITH … SELECT) over the tables of describe_data can run';

/** A NUL would end the statement for SQLite, and hide what follows from its checks. */
function refuseText(sql: string): void {
  if (sql.includes('\0')) throw refuse('sql', 'the statement contains a NUL character');
  if (sql.length > maxStatement) throw refuse('limit', `the statement is longer than ${maxStatement} characters`);
}

interface Prepared {
  /** 0 if the text holds no statement. */
  readonly statement: number;
  /** Where the next statement begins. */
  readonly tail: number;
}

/** Why SQLite refused, in words that say what to change. */
function whyRefused({ capi }: Sqlite, database: Database, code: number, bounds: Bounds, timeMs: number): RefusedError {
  const message = capi.sqlite3_errmsg(database);
  const interrupted = bounds.interrupted();
  if (interrupted === 'time') return refuse('limit', `the statement ran longer than ${timeMs / 1000} s`);
  if (interrupted === 'memory' || code === capi.SQLITE_NOMEM)
    return refuse('limit', 'the statement needs too much memory');
  if (code === capi.SQLITE_TOOBIG) return refuse('limit', 'the statement makes a text that is too long');
  return refuse('sql', message);
}

/** Runs one read-only statement of a stranger, whose rows go to `sink`. The engine refuses anything else while it prepares it. */
export function runGuarded(
  sqlite: Sqlite,
  database: Database,
  readable: Readable,
  { sql, timeMs }: { sql: string; timeMs: number },
  sink: RowSink,
): Omit<QueryResult, 'rows'> {
  const { capi, wasm } = sqlite;
  refuseText(sql);
  const scope = wasm.scopedAllocPush();
  const { seen, end } = authorizeReading(sqlite, database, readable, sql);
  const bounds = boundStatement(sqlite, database, timeMs);
  const open: number[] = [];

  function prepare(start: number, length: number): Prepared {
    const pointers = wasm.scopedAlloc(8);
    wasm.pokePtr(pointers, 0);
    const code = capi.sqlite3_prepare_v3(database, start, length, 0, pointers, pointers + 4);
    const statement = Number(wasm.peekPtr(pointers));
    if (statement !== 0) open.push(statement);
    if (seen.refusal !== undefined) throw refuse('read_only', `${seen.refusal} is not allowed. ${onlySelect}`);
    if (code !== capi.SQLITE_OK) throw whyRefused(sqlite, database, code, bounds, timeMs);
    return { statement, tail: Number(wasm.peekPtr(pointers + 4)) };
  }

  /** The only statement of the text. White space, comments and semicolons may follow it. */
  function prepareOnly(): number {
    const [start, length] = wasm.scopedAllocCString(sql, true);
    const stop = Number(start) + length;
    let only = 0;
    for (let at = Number(start); at < stop; ) {
      const { statement, tail } = prepare(at, stop - at);
      if (statement !== 0 && only !== 0) throw refuse('read_only', `several statements are not allowed. ${onlySelect}`);
      only ||= statement;
      if (tail <= at) break;
      at = tail;
    }
    if (only === 0) throw refuse('sql', `the text holds no statement. ${onlySelect}`);
    return only;
  }

  try {
    const statement = prepareOnly();
    const isReading = capi.sqlite3_stmt_readonly(statement) && capi.sqlite3_stmt_isexplain(statement) === 0;
    if (!isReading) throw refuse('read_only', `this statement is not allowed. ${onlySelect}`);
    if (capi.sqlite3_bind_parameter_count(statement) > 0) {
      throw refuse('sql', 'parameters such as ? and :name have no values here: write the values into the statement');
    }
    const { isCut, shortened, code } = readRows(sqlite, statement, sink, bounds);
    if (code !== capi.SQLITE_ROW && code !== capi.SQLITE_DONE) throw whyRefused(sqlite, database, code, bounds, timeMs);
    if (bounds.interrupted() !== undefined) throw whyRefused(sqlite, database, code, bounds, timeMs);
    return { columns: columnNames(sqlite, statement), isCut, shortened, reads: [...seen.reads] };
  } finally {
    for (const statement of open) capi.sqlite3_finalize(statement);
    bounds.end();
    end();
    wasm.scopedAllocPop(scope);
  }
}
