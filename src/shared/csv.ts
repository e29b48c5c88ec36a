import { cleanText } from './clean-text.ts';

// RFC 4180: cells between commas, rows that end with CRLF, quotes doubled within quotes. The only writer of CSV.

export type CsvCell = string | number | boolean | null | undefined;

/** The byte order mark. Without it, Excel reads UTF-8 as the code page of the machine. */
export const csvStart = '\uFEFF';

/** The end of a row. No cell contains it: line breaks within cells are `\n`. */
export const csvRowEnd = '\r\n';

/** A number as text, such as an amount: it stays a number, and no spreadsheet runs it. */
const plainNumber = /^-?\d+(\.\d+)?$/;

/** The signs with which a formula begins (OWASP, "CSV Injection"): in ASCII, in full width and as small forms. */
const signs = '=+\\-@\uFF1D\uFF0B\uFF0D\uFF20\uFE66\uFE62\uFE63\uFE6B';

/** What is not seen before a formula: white space, and characters that look like it. */
const blank = '[\\s\\u2800\\u3164\\u115F\\u1160\\uFFA0\\u180E]*';

/** At the start, or where another reader begins a cell: Excel at semicolons, pasted text at tabs, both at quotes. */
const formula = new RegExp(`(^|[,;|\\t\\n"'])(${blank})(?=[${signs}])`, 'g');

/** White space that begins a cell as a tab or line break moves what follows into a cell of its own. */
const startsCell = /^\s*[\t\n]/;

/** An apostrophe makes a spreadsheet show what follows as text: at the start of the cell, or right before the sign. */
function withoutFormula(text: string): string {
  const guarded = text.replace(formula, (_, before: string, space: string) =>
    before === '' && !startsCell.test(space) ? `'${space}` : `${before}${space}'`,
  );
  return startsCell.test(guarded) ? `'${guarded}` : guarded;
}

/** Every text is quoted: which characters separate cells depends on the country and the program. */
function cellText(cell: CsvCell): string {
  if (cell === null || cell === undefined) return '';
  if (typeof cell !== 'string') return String(cell);
  if (cell === '' || plainNumber.test(cell)) return cell;
  return `"${withoutFormula(cleanText(cell)).replaceAll('"', '""')}"`;
}

/** One row with its line end. Text that a spreadsheet would run as a formula gets an apostrophe, numbers never. */
export function csvRow(cells: readonly CsvCell[]): string {
  return `${cells.map(cellText).join(',')}${csvRowEnd}`;
}

/** The parts of a CSV, each with the names of the columns, which `rows` does not count. Ends with undefined at a row that is too long. */
export function* splitCsv(
  csv: Uint8Array,
  maxBytes: number,
): Generator<{ readonly csv: Uint8Array; readonly rows: number } | undefined> {
  const bytes = Buffer.from(csv.buffer, csv.byteOffset, csv.byteLength);
  const head = bytes.subarray(0, bytes.indexOf(csvRowEnd) + csvRowEnd.length);
  let at = head.length;
  do {
    const room = maxBytes - head.length;
    const end =
      bytes.length - at <= room ? bytes.length : bytes.lastIndexOf(csvRowEnd, at + room - csvRowEnd.length) + 2;
    if (end <= at && at < bytes.length) return yield undefined;
    const part = bytes.subarray(at, end);
    let rows = 0;
    for (let row = part.indexOf(csvRowEnd); row >= 0; row = part.indexOf(csvRowEnd, row + 1)) rows += 1;
    yield { csv: at === head.length && end === bytes.length ? bytes : Buffer.concat([head, part]), rows };
    at = end;
  } while (at < bytes.length);
}
