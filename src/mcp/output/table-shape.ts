import type { Json } from '../../shared/json.ts';
import { alteredKey } from './altered-fields.ts';
import { academyTextKey, untrustedKey } from './fence-free-text.ts';

/** The table of a list: the same on every page of one question. */
export interface TableShape {
  readonly columns: readonly string[];
  /** Values that all rows of the question share. The first line of the text states them, so the table omits them. */
  readonly same: Json;
}

/** Table shapes by the key of the list. */
export type TableShapes = Readonly<Record<string, TableShape>>;

/** Keys of a record that the text form shows below the tables. */
export const besideCells: ReadonlySet<string> = new Set([alteredKey, academyTextKey, untrustedKey]);

/** Adds the names in `rows` that `columns` lacks: the header fits every row. */
export function columnsWith(columns: readonly string[], rows: readonly Json[]): string[] {
  const names = new Set(columns);
  for (const row of rows) for (const name of Object.keys(row)) names.add(name);
  return [...names].filter((name) => !besideCells.has(name));
}

function isShared(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

/** The shape of a list, from all rows of the question. A column without any value is omitted. `order`: the first columns. */
export function wholeTable(rows: Iterable<Json>, order: readonly string[]): TableShape {
  const names = new Set<string>();
  let shared: Map<string, unknown> | undefined;
  let count = 0;
  for (const row of rows) {
    count += 1;
    for (const name of Object.keys(row)) names.add(name);
    shared ??= new Map(Object.entries(row).filter(([name, value]) => name !== 'id' && isShared(value)));
    for (const [name, value] of shared) if (row[name] !== value) shared.delete(name);
  }
  for (const name of besideCells) names.delete(name);
  const columns = [...order.filter((name) => names.delete(name)), ...names];
  // The only row keeps its values: there is nothing to compare them with.
  return without({ columns, same: count > 1 ? Object.fromEntries(shared ?? []) : {} });
}

/** The shape of a list of a scan: the rows are all rows of the question only once it has ended. */
export function scannedTable(rows: readonly Json[], columns: readonly string[], isAllRead: boolean): TableShape {
  return isAllRead ? wholeTable(rows, columns) : pageTable(rows, columns);
}

/** The shape of a list if only one page is known: each column of `columns`, even if this page has no value for it. */
export function pageTable(rows: readonly Json[], columns: readonly string[], fixed: Json = {}): TableShape {
  const same = Object.entries(fixed).filter(([name, value]) => rows.every((row) => row[name] === value));
  return without({ columns: columnsWith(columns, rows), same: Object.fromEntries(same) });
}

function without({ columns, same }: TableShape): TableShape {
  return { columns: columns.filter((name) => !Object.hasOwn(same, name)), same };
}
