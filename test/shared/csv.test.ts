import fc from 'fast-check';
import { expect, test } from 'vitest';
import { csvRow, csvStart } from '../../src/shared/csv.ts';
import { readCsv } from '../support/csv.ts';
import { runsOf } from '../support/long-form.ts';

const cellsOf = (...cells: Parameters<typeof csvRow>[0]) => readCsv(csvStart + csvRow(cells)).header;

test('every text is quoted, numbers and empty cells are not, and a row ends with CRLF', () => {
  expect(csvRow(['a', 'b,c', 'say "no"', 'two\nlines', 'x;y', null, undefined, '', 7, true, '-49.90'])).toBe(
    '"a","b,c","say ""no""","two\nlines","x;y",,,,7,true,-49.90\r\n',
  );
});

test('S24: a text that a spreadsheet would run gets an apostrophe', () => {
  const formulas = ['=1+1', '+1-1', '-1+1', '@SUM(A1)', ' =1+1', '＝1+1', '\u00A0=1', '\u3000＋1', '\u2800=1', '﹦1'];
  expect(cellsOf(...formulas)).toEqual(formulas.map((text) => `'${text}`));
  expect(cellsOf('=HYPERLINK("https://example.com","x")')).toEqual(['\'=HYPERLINK("https://example.com","x")']);
  expect(cellsOf('\t=1', '\r=1', '\n=1', '\t1', ' \nx')).toEqual(["'\t'=1", "'\n'=1", "'\n'=1", "'\t1", "' \nx"]);
  expect(cellsOf('\u200B=1', '\u202E@x', '\uFEFF=1')).toEqual(["'=1", "'@x", "'=1"]);
  expect(cellsOf("-1,2+cmd|' /C calc'!A0", "'=1")).toEqual(["'-1,2+cmd|' /C calc'!A0", "''=1"]);
});

test('a formula behind anything that may separate cells gets one too', () => {
  expect(cellsOf("x;=cmd|' /C calc'!A0", 'one\n=1+1', 'a; @b', 'a,=1', 'a\t+1', 'a|=1')).toEqual([
    "x;'=cmd|' /C calc'!A0",
    "one\n'=1+1",
    "a; '@b",
    "a,'=1",
    "a\t'+1",
    "a|'=1",
  ]);
  expect(cellsOf("x;\"=cmd|' /C calc'!A0;", 'x\t"=1"', 'x;" ＝1', 'x"";"="')).toEqual([
    "x;\"'=cmd|' /C calc'!A0;",
    'x\t"\'=1"',
    'x;" \'＝1',
    'x"";"\'="',
  ]);
});

test('numbers are never changed, be they texts or not', () => {
  expect(cellsOf(-5, -0.25, '-12.50', '-3', '49.00', 1e21)).toEqual(['-5', '-0.25', '-12.50', '-3', '49.00', '1e+21']);
});

test('other texts are read as they were written', () => {
  const texts = ['Inês Simões', 'a-b', 'x=1', "it's", '日本', '50%', 'O’Neill', 'a; b, c'];
  expect(cellsOf(...texts)).toEqual(texts);
});

/** The cells that a program sees which splits at one of these and takes quotes as it likes. */
const loosely = (row: string) => row.split(/[,;\t\n"]|\r\n/);

test('no cell of any text begins a formula, whatever separates and quotes cells', () => {
  const signs = fc.constantFrom(
    ...['=', '+', '-', '@', '＝', '－', ';', ',', '\n', '\r', '\t', '"', "'", ' ', '\u00A0', 'a', '1', '\u200B'],
  );
  const text = fc.array(signs, { maxLength: 12 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 4 }), (texts) => {
      for (const cell of loosely(csvRow(texts))) {
        if (/^-?\d+$/.test(cell)) continue;
        expect(cell).not.toMatch(/^\s*[=+\-@＝－]/);
      }
    }),
    { numRuns: runsOf(2_000) },
  );
});
