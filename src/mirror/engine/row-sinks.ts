import { csvRow, csvStart } from '../../shared/csv.ts';
import type { Cell, CsvResult } from './messages.ts';

/** Takes the rows of a statement. */
export interface RowSink {
  /** Longest text of a cell, in bytes. */
  readonly maxCell: number;
  /** Returns whether there is room for another row. */
  take(row: readonly Cell[]): boolean;
}

/** Longest answer, in characters of text. */
const maxText = 400_000;

const textLength = (row: readonly Cell[]) =>
  row.reduce<number>((sum, cell) => sum + (typeof cell === 'string' ? cell.length : 0), 0);

/** Collects rows for an answer. */
export function collectRows(maxRows: number): RowSink & { readonly rows: readonly (readonly Cell[])[] } {
  const rows: (readonly Cell[])[] = [];
  let length = 0;
  return {
    maxCell: 4_000,
    rows,
    take: (row) => {
      rows.push(row);
      length += textLength(row);
      return rows.length < maxRows && length < maxText;
    },
  };
}

/** Spreadsheets show no more: 1,048,576 with the names of the columns. */
const maxCsvRows = 1_048_575;
/** Rows of an export that its answer shows. */
const firstRows = 5;
/** Characters that are encoded together. */
const encodedAtOnce = 2 ** 16;

interface CsvSink extends RowSink {
  readonly first: CsvResult['first'];
  count(): number;
  /** The whole CSV. Nothing can be taken afterwards. */
  end(columns: readonly string[]): Uint8Array;
}

/** Writes rows as CSV. Encoded, they are outside of the heap of the thread. */
export function writeCsv(maxBytes: number): CsvSink {
  const chunks: Uint8Array[] = [];
  const first: (readonly Cell[])[] = [];
  let pending = '';
  let bytes = 0;
  let count = 0;

  function encode(text: string): Uint8Array {
    const chunk = Buffer.from(text);
    bytes += chunk.length;
    return chunk;
  }

  return {
    // SQLite makes no longer text.
    maxCell: 30_000,
    first,
    count: () => count,
    take: (row) => {
      if (first.length < firstRows) first.push(row);
      count += 1;
      pending += csvRow(row);
      if (pending.length > encodedAtOnce) {
        chunks.push(encode(pending));
        pending = '';
      }
      return count < maxCsvRows && bytes + pending.length < maxBytes;
    },
    end: (columns) => {
      const head = encode(csvStart + csvRow(columns));
      const all = [head, ...chunks, encode(pending)];
      const csv = new Uint8Array(bytes);
      let at = 0;
      for (const chunk of all) {
        csv.set(chunk, at);
        at += chunk.length;
      }
      return csv;
    },
  };
}
