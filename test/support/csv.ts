import { expect } from 'vitest';

/** Reads CSV as RFC 4180 defines it: header and rows. Written by hand, so that nothing of `src/shared/csv.ts` checks itself. */
export function readCsv(text: string): { header: string[]; rows: string[][] } {
  expect(text.startsWith('\uFEFF')).toBe(true);
  const lines: string[][] = [];
  let cells: string[] = [];
  let cell = '';
  let isQuoted = false;
  for (let at = 1; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (isQuoted && character === '"' && text.charAt(at + 1) === '"') {
      cell += '"';
      at += 1;
    } else if (character === '"') {
      isQuoted = !isQuoted;
    } else if (!isQuoted && character === ',') {
      cells.push(cell);
      cell = '';
    } else if (!isQuoted && character === '\r' && text.charAt(at + 1) === '\n') {
      lines.push([...cells, cell]);
      cells = [];
      cell = '';
      at += 1;
    } else {
      expect(isQuoted || character !== '\n', 'a line ends with CRLF').toBe(true);
      cell += character;
    }
  }
  expect([isQuoted, cells.length, cell], 'the last line ends').toEqual([false, 0, '']);
  const [header = [], ...rows] = lines;
  for (const row of rows) expect(row).toHaveLength(header.length);
  return { header, rows };
}
