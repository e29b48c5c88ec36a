import fc from 'fast-check';
import { expect, test } from 'vitest';
import { csvRow, csvStart } from '../../src/shared/csv.ts';
import { readCsv } from '../support/csv.ts';
import { runsOf } from '../support/long-form.ts';

const cellsOf = (...cells: Parameters<typeof csvRow>[0]) => readCsv(csvStart + csvRow(cells)).header;

test('commas, quotes, semicolons and line breaks are within quotes, and a row ends with CRLF', () => {
  expect(csvRow(['a', 'b,c', 'say "no"', 'two\nlines', 'x;y', null, undefined, 7, true])).toBe(
    'a,"b,c","say ""no""","two\nlines","x;y",,,7,true\r\n',
  );
});

test('S24: a text that a spreadsheet would run gets an apostrophe', () => {
  const formulas = ['=1+1', '+1-1', '-1+1', '@SUM(A1)', ' =1+1', '＝1+1', '=HYPERLINK("https://example.com","x")'];
  expect(cellsOf(...formulas)).toEqual(formulas.map((text) => `'${text}`));
  expect(cellsOf('\t=1', '\r=1', '\n=1')).toEqual(["'\t'=1", "'\n'=1", "'\n'=1"]);
  expect(cellsOf('\u200B=1', '\u202E@x')).toEqual(["'=1", "'@x"]);
});

test('a formula behind a semicolon or a line break gets one too, since Excel splits there in many countries', () => {
  expect(cellsOf("x;=cmd|' /C calc'!A0", 'one\n=1+1', 'a; @b')).toEqual([
    "x;'=cmd|' /C calc'!A0",
    "one\n'=1+1",
    "a; '@b",
  ]);
});

test('numbers are never changed, be they texts or not', () => {
  expect(cellsOf(-5, -0.25, '-12.50', '-3', '49.00', 1e21)).toEqual(['-5', '-0.25', '-12.50', '-3', '49.00', '1e+21']);
});

test('other texts are read as they were written', () => {
  expect(cellsOf('Inês Simões', 'a-b', 'x=1', "it's", '日本', '50%')).toEqual([
    'Inês Simões',
    'a-b',
    'x=1',
    "it's",
    '日本',
    '50%',
  ]);
});

test('no cell of any text begins a formula, whatever separates cells', () => {
  const signs = fc.constantFrom(
    '=',
    '+',
    '-',
    '@',
    '＝',
    ';',
    ',',
    '\n',
    '\r',
    '\t',
    '"',
    "'",
    ' ',
    'a',
    '1',
    '\u200B',
  );
  const text = fc.array(signs, { maxLength: 12 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 4 }), (texts) => {
      for (const cell of cellsOf(...texts)) {
        if (/^-?\d+$/.test(cell)) continue;
        for (const part of cell.split(/[;\n\t]/)) expect(part).not.toMatch(/^\s*[=+\-@＝]/);
      }
    }),
    { numRuns: runsOf(2_000) },
  );
});
