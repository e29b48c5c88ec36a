import { publicTables, tables } from '../schema/tables.ts';
import { authorizeReading, type Seen } from './authorizer.ts';
import { type Cell, type QueryResult, RefusedError, shared } from './messages.ts';
import type { RowSink } from './row-sinks.ts';
import type { Database, Sqlite } from './sqlite.ts';

/**
 * The most that a statement of a caller can use, by SQLite's names. A single step cannot be interrupted, so all are small:
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

/** How many operations of the engine run between two checks of the time. */
const checkEvery = 1_000;
/** Memory that a statement can add, in bytes. It holds what SQLite sorts and groups. */
const maxMemory = 96 * 1024 * 1024;

const refuse = (kind: RefusedError['kind'], message: string) => new RefusedError(kind, message);
const onlySelect = 'Only one SELECT (or WITH … SELECT) over the tables of describe_data can run';
const tooMuchMemory = () => refuse('large', 'the statement needs too much memory');

/** A NUL would end the statement for SQLite, and hide what follows from its checks. */
function refuseText(sql: string): void {
  if (sql.includes('\0')) throw refuse('sql', 'the statement contains a NUL character');
  const most = limits.SQLITE_LIMIT_SQL_LENGTH;
  if (sql.length > most) throw refuse('large', `the statement is longer than ${most} characters`);
}

interface Bounds {
  /** Why the statement has to end, if it has to. Checked by the engine, and between two rows. */
  check(): RefusedError | undefined;
  /** What the last check found. */
  readonly found: () => RefusedError | undefined;
  end(): void;
}

/** Bounds what runs on the database in size, time and memory until `end`. `flags` are shared with the main thread. */
function boundStatement({ capi, wasm }: Sqlite, database: Database, timeMs: number, flags: Int32Array): Bounds {
  const names = Object.keys(limits) as (keyof typeof limits)[];
  const before = names.map((name) => [name, capi.sqlite3_limit(database, capi[name], limits[name])] as const);
  const until = performance.now() + timeMs;
  const memory = wasm.heap8u().byteLength;
  let found: RefusedError | undefined;
  function check(): RefusedError | undefined {
    Atomics.add(flags, shared.beats, 1);
    if (Atomics.load(flags, shared.stop) !== 0) found ??= refuse('stopped', 'the statement was stopped');
    else if (performance.now() > until) found ??= refuse('slow', `the statement ran longer than ${timeMs / 1000} s`);
    else if (wasm.heap8u().byteLength - memory > maxMemory) found ??= tooMuchMemory();
    return found;
  }
  capi.sqlite3_progress_handler(database, checkEvery, () => (check() === undefined ? 0 : 1), 0);
  return {
    check,
    found: () => found,
    end: () => {
      capi.sqlite3_progress_handler(database, 0, 0, 0);
      for (const [name, value] of before) capi.sqlite3_limit(database, capi[name], value);
    },
  };
}

/**
 * Why a statement failed. While it is prepared, SQLite's own message shows what to change. While it runs, the message may quote
 * a value, such as the text of a member.
 */
function whyFailed({ capi }: Sqlite, database: Database, code: number, isRunning: boolean): RefusedError {
  switch (code & 0xff) {
    case capi.SQLITE_NOMEM:
      return tooMuchMemory();
    case capi.SQLITE_TOOBIG:
      return refuse('large', 'the statement makes a text that is too long');
    case capi.SQLITE_CORRUPT:
    case capi.SQLITE_NOTADB:
      return refuse('damaged', 'the snapshot is damaged');
    case capi.SQLITE_AUTH:
      return refuse('read_only', `this statement is not allowed. ${onlySelect}`);
    default:
      if (!isRunning) return refuse('sql', capi.sqlite3_errmsg(database));
      return refuse('sql', 'a function of the statement cannot use one of its values, such as text that is not JSON');
  }
}

type TablesByPage = ReadonlyMap<number, string>;

/** The table of each first page of a table or an index. */
function tablesByPage(database: Database): TablesByPage {
  const rows = database.selectArrays('SELECT rootpage, tbl_name FROM sqlite_schema WHERE rootpage > 0');
  return new Map(rows.map(([page, table]) => [Number(page), String(table)]));
}

/** A join by the names of columns: SQLite asks for no permission to read these. */
const joinsByName = /\b(using|natural)\b/i;

/**
 * What a prepared statement reads, from the operations that it will run: whatever the form of the statement, a table is read
 * only after it was opened. Refuses all tables but those of describe_data.
 */
function readsOf({ capi }: Sqlite, tableAt: TablesByPage, statement: number, sql: string, seen: Seen): string[] {
  const opened = new Set<string>();
  capi.sqlite3_stmt_explain(statement, 1);
  while (capi.sqlite3_step(statement) === capi.SQLITE_ROW) {
    const operation = capi.sqlite3_column_text(statement, 1);
    if (operation === 'VOpen') throw refuse('read_only', `a function as a table is not allowed. ${onlySelect}`);
    if (operation !== 'OpenRead' && operation !== 'ReopenIdx') continue;
    const isMain = capi.sqlite3_column_int(statement, 4) === 0;
    const table = isMain ? tableAt.get(capi.sqlite3_column_int(statement, 3)) : undefined;
    if (table === undefined || !publicTables.has(table))
      throw refuse('read_only', `the table ${table ?? 'of SQLite'} is not allowed. ${onlySelect}`);
    opened.add(table);
  }
  capi.sqlite3_reset(statement);
  capi.sqlite3_stmt_explain(statement, 0);
  const named = tables.filter(({ name }) => opened.has(name));
  const joined = joinsByName.test(sql)
    ? named.flatMap((table) => table.columns.map((one) => `${table.name}.${one.name}`))
    : [];
  return [...new Set([...seen.reads, ...named.map(({ name }) => `${name}.`), ...joined])];
}

/** The text of a cell, cut before it is decoded: a row may have 200 long ones. */
function textOf({ capi, wasm }: Sqlite, statement: number, column: number, maxCell: number) {
  const bytes = capi.sqlite3_column_bytes(statement, column);
  const start = wasm.exports.sqlite3_column_text(statement, column);
  const part = wasm.heap8u().slice(Number(start), Number(start) + Math.min(bytes, maxCell));
  const text = new TextDecoder().decode(part);
  return bytes <= maxCell ? { text, isShort: false } : { text: `${text.replace(/\uFFFD+$/, '')}…`, isShort: true };
}

function numberOf(value: bigint): Cell {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
}

/** Steps through a prepared statement, as long as there is room for its rows. `code`: that of the last step. */
function readRows(sqlite: Sqlite, statement: number, sink: RowSink, bounds: Bounds) {
  const { capi } = sqlite;
  const columns = Array.from({ length: capi.sqlite3_column_count(statement) }, (_, index) => index);
  let shortened = 0;
  let hasRoom = true;

  function cell(column: number): Cell {
    const type = capi.sqlite3_column_type(statement, column);
    if (type === capi.SQLITE_INTEGER) return numberOf(capi.sqlite3_column_int64(statement, column));
    if (type === capi.SQLITE_FLOAT) {
      const value = capi.sqlite3_column_double(statement, column);
      return Number.isFinite(value) ? value : String(value);
    }
    if (type === capi.SQLITE_NULL) return null;
    if (type === capi.SQLITE_BLOB) return `(${capi.sqlite3_column_bytes(statement, column)} bytes)`;
    const { text, isShort } = textOf(sqlite, statement, column, sink.maxCell);
    if (isShort) shortened += 1;
    return text;
  }

  let code = capi.sqlite3_step(statement);
  while (code === capi.SQLITE_ROW && hasRoom && bounds.check() === undefined) {
    hasRoom = sink.take(columns.map(cell));
    code = capi.sqlite3_step(statement);
  }
  return { isCut: code === capi.SQLITE_ROW, shortened, code };
}

function columnNames({ capi }: Sqlite, statement: number): string[] {
  const names: string[] = [];
  for (let index = 0; index < capi.sqlite3_column_count(statement); index += 1) {
    const name = capi.sqlite3_column_name(statement, index);
    let own = name;
    for (let number = 2; names.includes(own); number += 1) own = `${name}_${number}`;
    names.push(own);
  }
  return names;
}

/**
 * Runs one read-only statement of a caller, whose rows go to `sink`. The engine refuses anything else while it prepares it, and
 * what it has prepared is checked again before it runs.
 */
export function runGuarded(
  sqlite: Sqlite,
  database: Database,
  { sql, timeMs }: { sql: string; timeMs: number },
  sink: RowSink,
  flags: Int32Array,
): Omit<QueryResult, 'rows'> {
  const { capi, wasm } = sqlite;
  refuseText(sql);
  const scope = wasm.scopedAllocPush();
  const tableAt = tablesByPage(database);
  const hidden = new Set([...tableAt.values()].filter((name) => !publicTables.has(name)));
  const { seen, end } = authorizeReading(sqlite, database, { tables: publicTables, hidden }, sql);
  const bounds = boundStatement(sqlite, database, timeMs, flags);
  const open: number[] = [];

  /** Prepares the first statement of a text: 0 if there is none. `tail` is where the next one begins. */
  function prepare(start: number, length: number): { statement: number; tail: number } {
    const pointers = wasm.scopedAlloc(8);
    wasm.pokePtr(pointers, 0);
    const code = capi.sqlite3_prepare_v3(database, start, length, 0, pointers, pointers + 4);
    const statement = Number(wasm.peekPtr(pointers));
    if (statement !== 0) open.push(statement);
    if (seen.refusal !== undefined) throw refuse('read_only', `${seen.refusal} is not allowed. ${onlySelect}`);
    if (code !== capi.SQLITE_OK) throw bounds.found() ?? whyFailed(sqlite, database, code, false);
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
    const reads = readsOf(sqlite, tableAt, statement, sql, seen);
    const { isCut, shortened, code } = readRows(sqlite, statement, sink, bounds);
    const found = bounds.found();
    if (found !== undefined) throw found;
    if (code !== capi.SQLITE_ROW && code !== capi.SQLITE_DONE) throw whyFailed(sqlite, database, code, true);
    return { columns: columnNames(sqlite, statement), isCut, shortened, reads };
  } finally {
    for (const statement of open) capi.sqlite3_finalize(statement);
    bounds.end();
    end();
    wasm.scopedAllocPop(scope);
  }
}
