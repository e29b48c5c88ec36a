import type { Database, Sqlite } from './sqlite.ts';

/** Functions that a statement of a stranger can use: none that writes, reads files or tells of this program. */
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
const namedActions = [
  'ATTACH',
  'DETACH',
  'PRAGMA',
  'INSERT',
  'UPDATE',
  'DELETE',
  'TRANSACTION',
  'SAVEPOINT',
  'REINDEX',
  'ANALYZE',
];

/** What the authorizer has seen of a statement. */
export interface Seen {
  /**
   * The columns that it reads, as `table.column`. Of a table that it reads through a view only `table.`: the columns that it reads
   * are those of the view, and SQLite asks for all that the view could show.
   */
  readonly reads: Set<string>;
  /** Why it was refused. */
  refusal: string | undefined;
}

/** The names that a statement can read, and those that it cannot. Any other name is one of its own, as in WITH. */
export interface Readable {
  readonly tables: ReadonlySet<string>;
  readonly hidden: ReadonlySet<string>;
}

/** The tables of SQLite itself, and its modules that can be read like tables. */
const ownPrefix = /^(sqlite|pragma|json|jsonb)_/i;

/**
 * Makes the engine itself refuse everything but SELECT, reading these tables, and these functions, until the returned
 * function ends that. SQLite asks while it prepares a statement, so nothing of a refused one has run.
 */
export function authorizeReading(
  { capi }: Sqlite,
  database: Database,
  { tables, hidden }: Readable,
  sql: string,
): { seen: Seen; end: () => void } {
  const seen: Seen = { reads: new Set(), refusal: undefined };
  // A name of WITH may be that of a view.
  const isView = (name: string | 0) => name !== 0 && tables.has(name) && !/\bwith\b/i.test(sql);
  const refuse = (why: string) => {
    seen.refusal ??= why;
    return capi.SQLITE_DENY;
  };
  const nameOf = (action: number) =>
    namedActions.find((name) => Reflect.get(capi, `SQLITE_${name}`) === action) ?? 'a statement that is not SELECT';
  const authorize = (action: number, first: string | 0, second: string | 0, within: string | 0): number => {
    if (action === capi.SQLITE_SELECT || action === capi.SQLITE_RECURSIVE) return capi.SQLITE_OK;
    if (action === capi.SQLITE_READ) {
      const name = String(first);
      // Without a column, SQLite also asks about names that the statement itself gives, as in WITH.
      const isOwn = !second && !hidden.has(name.toLowerCase()) && !ownPrefix.test(name);
      if (!tables.has(name) && !isOwn) return refuse(`the table ${name}`);
      if (tables.has(name)) seen.reads.add(`${name}.${isView(within) ? '' : second || ''}`);
      return capi.SQLITE_OK;
    }
    if (action === capi.SQLITE_FUNCTION) {
      return functions.has(String(second).toLowerCase()) ? capi.SQLITE_OK : refuse(`the function ${second}`);
    }
    return refuse(nameOf(action));
  };
  capi.sqlite3_set_authorizer(
    database,
    (_pointer, action, first, second, _database, within) => authorize(action, first, second, within),
    0,
  );
  return { seen, end: () => void capi.sqlite3_set_authorizer(database, 0 as never, 0) };
}
