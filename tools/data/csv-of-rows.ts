import { untrustedKey } from '../../src/mcp/output/fence-free-text.ts';
import { type CsvCell, csvRow, csvStart } from '../../src/shared/csv.ts';
import { isObject, type Json } from '../../src/shared/json.ts';

type Cells = readonly (readonly [column: string, cell: CsvCell])[];

function cellOf(value: unknown): CsvCell {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  if (value === null) return value;
  return Array.isArray(value) && value.every((entry) => !isObject(entry)) ? value.join(', ') : JSON.stringify(value);
}

/** A map becomes a column for each of its keys: the sum in euros of `amount` is in `amount EUR`. */
function cellsOf(row: Json): Cells {
  return Object.entries(row).flatMap(([name, value]): Cells => {
    if (value === undefined) return [];
    if (!isObject(value)) return [[name, cellOf(value)]];
    if (name === untrustedKey) return cellsOf(value);
    return Object.entries(value).map(([key, entry]) => [`${name} ${key}`, cellOf(entry)]);
  });
}

/** Columns in the order in which rows first have them, those of one map beside each other. */
function columnsOf(rows: readonly Cells[]): string[] {
  const all = [...new Set(rows.flatMap((cells) => cells.map(([column]) => column)))];
  const heads = [...new Set(all.map((column) => column.split(' ')[0]))];
  return heads.flatMap((head) => all.filter((column) => column.split(' ')[0] === head));
}

/** The rows of a tool's answer as CSV. */
export function csvOfRows(rows: readonly Json[]): { readonly csv: Uint8Array; readonly columns: readonly string[] } {
  const cells = rows.map(cellsOf);
  const columns = columnsOf(cells);
  const lines = cells.map((row) => {
    const byColumn = new Map(row);
    return csvRow(columns.map((column) => byColumn.get(column)));
  });
  return { csv: Buffer.from(csvStart + csvRow(columns) + lines.join('')), columns };
}
