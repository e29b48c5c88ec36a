import { columnsOf, publicTables } from '../rows/tables.ts';
import type { Database, Sqlite } from './database.ts';
import { type Cell, RefusedError } from './messages.ts';

/** Functions that a statement of a caller can use: none that writes, reads files or tells of this program. */
const functions = new Set(
  `-> ->> abs avg ceil ceiling char coalesce concat concat_ws count cume_dist current_date current_time current_timestamp date
  datetime decimal_sum dense_rank exp first_value floor format glob group_concat hex if ifnull iif instr json json_array
  json_array_length json_each json_extract json_group_array json_group_object json_object json_type json_valid julianday lag
  last_value lead length like likelihood likely ln log log10 log2 lower ltrim max median min mod nth_value ntile nullif
  octet_length percent_rank percentile percentile_cont percentile_disc pow power printf quote rank replace round row_number rtrim
  sign sqrt strftime string_agg substr substring sum time timediff total trim trunc typeof unicode unixepoch unlikely upper`.split(
    /\s+/,
  ),
);

/** The actions that a refusal names. SQLite's authorizer has a code for each. */
const namedActions = 'ATTACH DETACH PRAGMA INSERT UPDATE DELETE TRANSACTION SAVEPOINT REINDEX ANALYZE'.split(' ');

/** How many operations of the engine run before it looks whether to stop. */
const checkEvery = 1_000;

const refuse = (kind: RefusedError['kind'], message: string) => new RefusedError(kind, message);
const notAllowed = (what: string) =>
  refuse(
    'read_only',
    `${what} is not allowed. Only one SELECT (or WITH … SELECT) over the tables of describe_data can run`,
  );

/** Returns whether there is room for another row. */
type TakeRow = (row: readonly Cell[]) => boolean;

/** The tables of SQLite itself, and its modules that can be read like tables. */
const ownPrefix = /^(sqlite|pragma|json|jsonb)_/i;

/**
 * Makes the engine itself refuse everything but SELECT over the public tables, and these functions. SQLite asks while it prepares
 * a statement, so nothing of a refused one has run. What it opens is checked again afterwards: SQLite does not ask for all tables.
 */
function authorize({ capi }: Sqlite, database: Database, sql: string, hidden: ReadonlySet<string>) {
  /**
   * The columns that it reads, as `table.column`, and what was refused. Of a table that it reads through a view only `table.`: the
   * columns that it reads are those of the view, and SQLite asks for all that the view could show.
   */
  const seen: { reads: Set<string>; refusal?: string } = { reads: new Set() };
  // A name of WITH may be that of a view.
  const isView = (name: string | 0) => name !== 0 && publicTables.has(name) && !/\bwith\b/i.test(sql);
  const actionName = (action: number) =>
    namedActions.find((name) => Reflect.get(capi, `SQLITE_${name}`) === action) ?? 'a statement that is not SELECT';
  const deny = (what: string) => {
    seen.refusal ??= what;
    return capi.SQLITE_DENY;
  };
  capi.sqlite3_set_authorizer(
    database,
    (_pointer, action, first, second, _database, within) => {
      if (action === capi.SQLITE_SELECT || action === capi.SQLITE_RECURSIVE) return capi.SQLITE_OK;
      if (action === capi.SQLITE_READ) {
        const name = String(first);
        const isPublic = publicTables.has(name);
        if (isPublic) seen.reads.add(`${name}.${isView(within) ? '' : second || ''}`);
        // Without a column, SQLite also asks about names that the statement itself gives, as in WITH.
        if (isPublic || !(second || hidden.has(name.toLowerCase()) || ownPrefix.test(name))) return capi.SQLITE_OK;
        return deny(`the table ${name}`);
      }
      if (action !== capi.SQLITE_FUNCTION) return deny(actionName(action));
      return functions.has(String(second).toLowerCase()) ? capi.SQLITE_OK : deny(`the function ${second}`);
    },
    0,
  );
  return seen;
}

/**
 * Why a statement failed. While it is prepared, SQLite's own message shows what to change. While it runs, the message may quote
 * a value, such as the text of a member.
 */
function whyFailed({ capi }: Sqlite, database: Database, code: number, isRunning: boolean): RefusedError {
  switch (code & 0xff) {
    case capi.SQLITE_NOMEM:
      return refuse('large', 'the statement needs too much memory');
    case capi.SQLITE_INTERRUPT:
      return refuse('stopped', 'the statement was stopped');
    case capi.SQLITE_TOOBIG:
      return refuse('large', isRunning ? 'the statement makes a text that is too long' : 'the statement is too long');
    case capi.SQLITE_CORRUPT:
    case capi.SQLITE_NOTADB:
      return refuse('damaged', 'the snapshot is damaged');
    case capi.SQLITE_AUTH:
      return notAllowed('this statement');
    default:
      if (!isRunning) return refuse('sql', capi.sqlite3_errmsg(database));
      return refuse('sql', 'a function of the statement cannot use one of its values, such as text that is not JSON');
  }
}

/** A join by the names of columns: SQLite asks for no permission to read these. */
const joinsByName = /\b(using|natural)\b/i;

/**
 * What a prepared statement reads, from the operations that it will run: in every form of statement, a table is read
 * only after it was opened. Refuses all tables but those of describe_data.
 */
function readsOf(
  { capi }: Sqlite,
  tableAt: ReadonlyMap<number, string>,
  statement: number,
  sql: string,
  seen: ReadonlySet<string>,
) {
  const opened = new Set<string>();
  capi.sqlite3_stmt_explain(statement, 1);
  while (capi.sqlite3_step(statement) === capi.SQLITE_ROW) {
    const operation = capi.sqlite3_column_text(statement, 1);
    if (operation === 'VOpen') throw notAllowed('a function as a table');
    if (operation !== 'OpenRead' && operation !== 'ReopenIdx') continue;
    const isMain = capi.sqlite3_column_int(statement, 4) === 0;
    const table = isMain ? tableAt.get(capi.sqlite3_column_int(statement, 3)) : undefined;
    if (table === undefined || !publicTables.has(table)) throw notAllowed(`the table ${table ?? 'of SQLite'}`);
    opened.add(table);
  }
  capi.sqlite3_reset(statement);
  capi.sqlite3_stmt_explain(statement, 0);
  const columns = (table: string) => ['', ...(joinsByName.test(sql) ? (columnsOf.get(table) ?? []) : [])];
  return [...new Set([...seen, ...[...opened].flatMap((table) => columns(table).map((name) => `${table}.${name}`))])];
}

/** Steps through a prepared statement, as long as there is room for its rows. `code`: that of the last step. */
function readRows({ capi }: Sqlite, statement: number, take: TakeRow) {
  const columns = Array.from({ length: capi.sqlite3_column_count(statement) }, (_, index) => index);

  function cell(column: number): Cell {
    const value = capi.sqlite3_column_js(statement, column) ?? null;
    if (value === null || typeof value === 'string') return value;
    if (typeof value === 'object') return `(${value.byteLength} bytes)`;
    return Number.isFinite(value) ? Number(value) : String(value);
  }

  let hasRoom = true;
  let code = capi.sqlite3_step(statement);
  while (code === capi.SQLITE_ROW && hasRoom) {
    hasRoom = take(columns.map(cell));
    code = capi.sqlite3_step(statement);
  }
  const names = columns.map((column) => capi.sqlite3_column_name(statement, column));
  return { columns: names, isCut: code === capi.SQLITE_ROW, code };
}

/**
 * Runs one read-only statement of a caller on a snapshot. Its rows go to `take`. The engine refuses anything else while it prepares
 * it, and what it has prepared is checked again before it runs. The main thread ends it by `stop`.
 */
export function runGuarded(sqlite: Sqlite, database: Database, sql: string, take: TakeRow, stop: Int32Array) {
  const { capi, wasm } = sqlite;
  // It would end the statement for SQLite, and hide what follows from its checks.
  if (sql.includes('\0')) throw refuse('sql', 'the statement contains a NUL character');
  /** The table of each first page of a table or an index. The schema itself begins at page 1. */
  const roots = database.selectArrays('SELECT rootpage, tbl_name FROM sqlite_schema WHERE rootpage > 0');
  const tableAt = new Map([
    [1, 'sqlite_master'],
    ...roots.map(([page, table]) => [Number(page), String(table)] as const),
  ]);
  const hidden = new Set([...tableAt.values()].filter((name) => !publicTables.has(name)));
  const seen = authorize(sqlite, database, sql, hidden);
  capi.sqlite3_progress_handler(database, checkEvery, () => Atomics.load(stop, 0), 0);
  const scope = wasm.scopedAllocPush();
  const open: number[] = [];

  /** The only statement of the text. White space, comments and semicolons may follow it. */
  function prepareOnly(): number {
    const [start, length] = wasm.scopedAllocCString(sql, true);
    const pointers = wasm.scopedAlloc(8);
    const stop = Number(start) + length;
    for (let at = Number(start), tail = at; at < stop; at = tail) {
      const code = capi.sqlite3_prepare_v3(database, at, stop - at, 0, pointers, pointers + 4);
      const statement = Number(wasm.peekPtr(pointers));
      if (statement !== 0) open.push(statement);
      if (seen.refusal !== undefined) throw notAllowed(seen.refusal);
      if (code !== capi.SQLITE_OK) throw whyFailed(sqlite, database, code, false);
      if (open.length > 1) throw refuse('read_only', 'several statements are not allowed. Only one SELECT can run');
      tail = Number(wasm.peekPtr(pointers + 4));
      if (tail <= at) break;
    }
    const [only] = open;
    if (only === undefined) throw refuse('sql', 'the text holds no statement. Write one SELECT');
    return only;
  }

  try {
    const statement = prepareOnly();
    const isReading = capi.sqlite3_stmt_readonly(statement) && capi.sqlite3_stmt_isexplain(statement) === 0;
    if (!isReading) throw notAllowed('this statement');
    if (capi.sqlite3_bind_parameter_count(statement) > 0) {
      throw refuse('sql', 'parameters such as ? and :name have no values here: write the values into the statement');
    }
    const reads = readsOf(sqlite, tableAt, statement, sql, seen.reads);
    const { columns, isCut, code } = readRows(sqlite, statement, take);
    if (code !== capi.SQLITE_ROW && code !== capi.SQLITE_DONE) throw whyFailed(sqlite, database, code, true);
    return { columns, isCut, reads };
  } finally {
    for (const statement of open) capi.sqlite3_finalize(statement);
    capi.sqlite3_progress_handler(database, 0, 0, 0);
    capi.sqlite3_set_authorizer(database, 0 as never, 0);
    wasm.scopedAllocPop(scope);
  }
}
