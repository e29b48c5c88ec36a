import type { Period } from '../../src/insights/period.ts';
import { field } from '../../src/mcp/output/text-format.ts';
import type { Json } from '../../src/shared/json.ts';
import { type Coverage, coverageText } from '../../src/workflows/sales/coverage.ts';
import { buyerLines, type Columns } from './find-buyers-rows.ts';
import { noteOf, rowTotalNote } from './sales-output.ts';

// The text form of find_buyers.

/** The note without the meaning of the sums, which the first line states. */
function noteBeside(note: unknown): unknown {
  if (typeof note !== 'string') return note;
  return noteOf(...note.split('. ').filter((sentence) => sentence !== rowTotalNote(1) && sentence !== rowTotalNote(2)));
}

/** "granted_to: Ana Silva, Ben Okafor, 12 more". */
function grantedLines(names: unknown, more: unknown): string[] {
  if (!Array.isArray(names)) return [];
  const [line = ''] = field('granted_to', names);
  return [typeof more === 'number' ? `${line}, ${more} more` : line];
}

/** Omits question, period and totals, which the first line shows. */
export function outlineOf(
  { cut, statuses, note, titles, granted_to, granted_more, buyers, next_cursor }: Json,
  coverage: Coverage,
  columns: Columns,
  period: Period,
): string[] {
  const line = (name: string, value: unknown) => (value === undefined ? [] : field(name, value));
  return [
    ...line('cut', cut),
    ...line('statuses', statuses),
    ...line('note', noteBeside(note)),
    ...buyerLines(Array.isArray(buyers) ? buyers : [], columns),
    ...line('titles', titles),
    ...grantedLines(granted_to, granted_more),
    coverageText(coverage, period),
    ...line('next_cursor', next_cursor),
  ];
}

export function shownText(start: number, count: number, total: number): string {
  if (count === 0 || count >= total) return '';
  return ` Shown: ${count === 1 ? start + 1 : `${start + 1} to ${start + count}`}.`;
}
