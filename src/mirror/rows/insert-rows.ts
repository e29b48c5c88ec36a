import type { Cell, Statement } from '../engine/messages.ts';
import { tables } from '../schema/tables.ts';

/** Rows of one statement: fewer larger ones are faster, but each is one text. */
const batch = 2_000;

function* batches<Item>(items: readonly Item[]): Generator<readonly Item[]> {
  for (let start = 0; start < items.length; start += batch) yield items.slice(start, start + batch);
}

function columnsOf(table: string): readonly string[] {
  const found = tables.find(({ name }) => name === table);
  if (found === undefined) throw new Error(`there is no table ${table}`);
  return found.columns.map(({ name }) => name);
}

/** The cells of a row of a table, by the name of their column. */
export function rowByColumn(table: string, row: readonly Cell[]): Record<string, Cell> {
  return Object.fromEntries(columnsOf(table).map((name, index) => [name, row[index] ?? null]));
}

/** Inserts rows with all columns of a table, in their order, as one JSON text each: four times as fast as binding values. */
export function insertRows(table: string, rows: readonly (readonly Cell[])[]): Statement[] {
  const columns = columnsOf(table);
  const values = columns.map((_, index) => `value ->> ${index}`).join(', ');
  const sql = `INSERT OR REPLACE INTO ${table} (${columns.join(', ')}) SELECT ${values} FROM json_each(?)`;
  return [...batches(rows)].map((some) => ({ sql, values: [JSON.stringify(some)] }));
}

/** Inserts rows with some columns, or changes those that have the same `key`: their row number stays. */
export function upsertRows(
  table: string,
  key: string,
  columns: readonly string[],
  rows: readonly (readonly Cell[])[],
): Statement[] {
  const values = columns.map((_, index) => `value ->> ${index}`).join(', ');
  const changes = columns.filter((name) => name !== key).map((name) => `${name} = excluded.${name}`);
  const sql = `INSERT INTO ${table} (${columns.join(', ')}) SELECT ${values} FROM json_each(?) WHERE true
    ON CONFLICT (${key}) DO UPDATE SET ${changes.join(', ')}`;
  return [...batches(rows)].map((some) => ({ sql, values: [JSON.stringify(some)] }));
}

/** A statement with a list of keys: `sql` reads them as the single column `value` of `json_each(?)`. */
export function withKeys(sql: string, keys: readonly Cell[], others: readonly Cell[] = []): Statement {
  return { sql, values: [...others, JSON.stringify(keys)] };
}
