import { recordFailureOf } from '../../api/partial-failure.ts';
import { asOf } from '../../insights/period.ts';
import { AcademyError } from '../../shared/errors.ts';
import type { Cell, Statement } from '../engine/messages.ts';
import type { Store } from '../store.ts';

// What the filling remembers in the database: values between two starts, rows that may be gone, and what of each table is complete.

/** Reads a value that the filling keeps between two starts; undefined if there is none. */
export async function readState(store: Pick<Store, 'read'>, key: string): Promise<string | undefined> {
  const [[value = null] = []] = await store.read('SELECT value FROM fill_state WHERE key = ?', [key]);
  return typeof value === 'string' ? value : undefined;
}

export function writeState(key: string, value: string | number | undefined): Statement {
  if (value === undefined) return { sql: 'DELETE FROM fill_state WHERE key = ?', values: [key] };
  return { sql: 'INSERT OR REPLACE INTO fill_state (key, value) VALUES (?, ?)', values: [key, String(value)] };
}

/**
 * Why a record could not be read, to be stored: the code and what failed. Not the words of the API, which may quote what somebody
 * wrote and are shown later, to others. Undefined for an error that ends the step.
 */
export function failureToStore(error: unknown, what: string): string | undefined {
  const isOfRecord = error instanceof AcademyError && recordFailureOf(error, true) !== undefined;
  return isOfRecord ? `${what} could not be read (${error.code})` : undefined;
}

/** Rows of a table. */
interface Covered {
  readonly table: string;
  /** The column that names a row. */
  readonly key: string;
  /** A condition; all of the table if undefined. */
  readonly covers?: Statement;
}

/** A reading of which it is proved that it shows every record of the rows that it covers. */
export interface WholeReading extends Covered {
  /** A SELECT of the keys that it showed. */
  readonly shown: Statement;
}

/** A SELECT of these keys. */
export const keysOf = (keys: readonly Cell[]): Statement => ({
  sql: 'SELECT value FROM json_each(?)',
  values: [JSON.stringify(keys)],
});

const all: Statement = { sql: 'true' };

function lackedBy({ table, key, covers = all, shown }: WholeReading): Statement {
  const sql = `SELECT ${key} FROM ${table} WHERE (${covers.sql}) AND ${key} NOT IN (${shown.sql})`;
  return { sql, values: [...(covers.values ?? []), ...(shown.values ?? [])] };
}

/** Marks the rows that a whole reading lacks. They are kept: one reading is no proof. Rows that it shows are marked no longer. */
export function markMissing(reading: WholeReading, at: number, why: string): Statement[] {
  const { table, shown } = reading;
  const { sql, values = [] } = lackedBy(reading);
  const isShown = `DELETE FROM fill_missing WHERE list = ? AND id IN (${shown.sql})`;
  const mark = `INSERT OR IGNORE INTO fill_missing (list, id, since_ms, why) SELECT ?, *, ?, ? FROM (${sql})`;
  return [
    { sql: isShown, values: [table, ...(shown.values ?? [])] },
    { sql: mark, values: [table, at, why, ...values] },
  ];
}

/**
 * Removes the rows that two whole readings of a list lack, this one and the one before, and marks those that only this one lacks.
 * `remove`: what removes a row, for a reading that covers all that this list fills of the table; default: DELETE.
 */
export function removeMissing(reading: WholeReading, at: number, remove?: string): Statement[] {
  const { table, key, covers = all } = reading;
  const { sql, values = [] } = lackedBy(reading);
  const marked = 'SELECT id FROM fill_missing WHERE list = ?';
  // Other rows of the table may have the same key, and what `remove` has changed stays in it.
  const left = `SELECT ${key} FROM ${table}${remove === undefined ? '' : ` WHERE ${covers.sql}`}`;
  return [
    {
      sql: `${remove ?? `DELETE FROM ${table}`} WHERE (${covers.sql}) AND ${key} IN (${sql}) AND ${key} IN (${marked})`,
      values: [...(covers.values ?? []), ...values, table],
    },
    { sql: `DELETE FROM fill_missing WHERE list = ? AND id NOT IN (${left})`, values: [table] },
    ...markMissing(reading, at, 'the list does not show it'),
  ];
}

/** Whether some of these rows may be gone. */
export async function hasMissing(
  { read }: Pick<Store, 'read'>,
  { table, key, covers = all }: Covered,
): Promise<boolean> {
  const sql = `SELECT EXISTS (SELECT 1 FROM ${table} WHERE (${covers.sql}) AND ${key} IN (SELECT id FROM fill_missing WHERE list = ?))`;
  const [[found] = []] = await read(sql, [...(covers.values ?? []), table]);
  return found === 1;
}

/** What is known of the completeness of one table. That of orders: `syncOrders`. */
export interface SyncState {
  readonly name: string;
  readonly complete: boolean;
  /** As the API counts. */
  readonly total?: number | undefined;
  readonly newUpTo: Date;
  /** The oldest reading of a row; default: `newUpTo`. */
  readonly changesAsOf?: Date;
  readonly comparedAt?: Date;
  readonly problem?: string | undefined;
}

/** A table with rows that may be gone is not complete. */
export function writeSync(state: SyncState): Statement {
  const { name, complete, total = null, newUpTo, changesAsOf = newUpTo, comparedAt, problem = null } = state;
  const compared = comparedAt ? asOf(comparedAt) : null;
  return {
    sql: `INSERT OR REPLACE INTO sync (name, complete, total, new_up_to, changes_as_of, compared_at, problem)
      SELECT ?1, ?2 AND missing = 0, ?3, ?4, ?5, ?6, coalesce(?7,
        CASE WHEN missing > 0 THEN 'not in the last list, which is read again: ' || missing END)
      FROM (SELECT count(*) AS missing FROM fill_missing WHERE list = ?1)`,
    values: [name, Number(complete), total, asOf(newUpTo), asOf(changesAsOf), compared, problem],
  };
}
