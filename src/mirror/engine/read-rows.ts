import type { Cell } from './messages.ts';
import type { RowSink } from './row-sinks.ts';
import type { Sqlite } from './sqlite.ts';
import type { Bounds } from './statement-limits.ts';

export interface RowsRead {
  readonly isCut: boolean;
  readonly shortened: number;
  /** The code with which the last step ended. */
  readonly code: number;
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

/** Steps through a prepared statement, as long as there is room for its rows. */
export function readRows(sqlite: Sqlite, statement: number, sink: RowSink, bounds: Bounds): RowsRead {
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
  while (code === capi.SQLITE_ROW && hasRoom && !bounds.isOver()) {
    hasRoom = sink.take(columns.map(cell));
    code = capi.sqlite3_step(statement);
  }
  return { isCut: code === capi.SQLITE_ROW, shortened, code };
}

export function columnNames({ capi }: Sqlite, statement: number): string[] {
  const names: string[] = [];
  for (let index = 0; index < capi.sqlite3_column_count(statement); index += 1) {
    const name = capi.sqlite3_column_name(statement, index);
    const again = names.filter((other) => other === name || other.startsWith(`${name}_`)).length;
    names.push(names.includes(name) ? `${name}_${again + 1}` : name);
  }
  return names;
}
