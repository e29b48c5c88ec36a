import type { MirrorCell, MirrorRows } from '../../src/mcp/data-mirror.ts';
import { cleanText, oneLine } from '../../src/shared/clean-text.ts';
import { type Json, setField } from '../../src/shared/json.ts';

/** Columns with text that members wrote at length. What a statement makes of it stays their text. */
const freeText = new Set(['posts.content']);

/** Longest text that is shown in a line, as in other tools. */
const maxLine = 200;
/** Longest fenced text of one value. */
const maxBlock = 2_000;

function isSentence(text: string, hasFreeText: boolean): boolean {
  return text.length > maxLine || /[\n\r]/.test(text) || (hasFreeText && /\s/.test(text.trim()));
}

/** A row as a map. NULL is left out; text that may hold a sentence of a member is under `untrusted`. */
function rowOf(columns: readonly string[], cells: readonly MirrorCell[], hasFreeText: boolean): Json {
  const row: Json = {};
  const untrusted: Json = {};
  for (const [index, column] of columns.entries()) {
    const cell = cells[index];
    const name = oneLine(column, 60) || `column_${index + 1}`;
    if (cell === null || cell === undefined) continue;
    if (typeof cell === 'number') setField(row, name, cell);
    else if (isSentence(cell, hasFreeText)) setField(untrusted, name, oneLineEach(cell));
    else setField(row, name, oneLine(cell, maxLine));
  }
  return Object.keys(untrusted).length > 0 ? { ...row, untrusted } : row;
}

function oneLineEach(text: string): string {
  const clean = cleanText(text).trim();
  return clean.length > maxBlock ? `${clean.slice(0, maxBlock)}…` : clean;
}

export function presentRows({ columns, rows, reads }: MirrorRows): Json[] {
  const hasFreeText = reads.some((column) => freeText.has(column));
  return rows.map((cells) => rowOf(columns, cells, hasFreeText));
}
