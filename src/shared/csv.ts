import { cleanText } from './clean-text.ts';

// RFC 4180: cells between commas, rows that end with CRLF, quotes doubled within quotes.

export type CsvCell = string | number | boolean | null | undefined;

/** The byte order mark. Without it, Excel reads UTF-8 as the code page of the machine. */
export const csvStart = '\uFEFF';

/** A number as text, such as an amount: no spreadsheet runs it. */
const plainNumber = /^-?\d+(\.\d+)?$/;

/** The signs with which a formula begins, in ASCII and in full width (OWASP, "CSV Injection"). */
const signs = '=+\\-@\uFF1D\uFF0B\uFF0D\uFF20';
const formulaStart = new RegExp(`^[${signs}]`);

/**
 * Where Excel separates cells by semicolons, it splits a text at them and at its line breaks, whatever the quotes are: what follows
 * is a cell too.
 */
const formulaWithin = new RegExp(`([;\\n\\t][^\\S\\n\\t]*)([${signs}])`, 'g');

/** An apostrophe makes a spreadsheet show what follows as text. Spreadsheets skip white space before a formula. */
function withoutFormula(text: string): string {
  if (plainNumber.test(text)) return text;
  const start = text.trimStart();
  const isFormula = formulaStart.test(start) || /[\t\n]/.test(text.slice(0, text.length - start.length));
  return `${isFormula ? "'" : ''}${text.replace(formulaWithin, "$1'$2")}`;
}

/** Reading these within a cell needs quotes: in RFC 4180, or in a country with other separators. */
const needsQuotes = /[",;\t\n]/;

function cellText(cell: CsvCell): string {
  if (cell === null || cell === undefined) return '';
  if (typeof cell !== 'string') return String(cell);
  const text = withoutFormula(cleanText(cell));
  return needsQuotes.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** One row with its line end. Text that a spreadsheet would run as a formula gets an apostrophe, numbers never. */
export function csvRow(cells: readonly CsvCell[]): string {
  return `${cells.map(cellText).join(',')}\r\n`;
}
