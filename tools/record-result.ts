import type * as z from 'zod';
import { sanitizeRecord } from '../src/mcp/output/sanitize.ts';
import { inline } from '../src/mcp/output/text-format.ts';
import type { Presented } from '../src/mcp/tool.ts';

/** Names a record in a sentence: "Course 7: Watercolour". */
export function recordLabel(noun: string, record: Record<string, unknown>): string {
  const { id, title, name } = record;
  const label = [noun, ...(id === undefined ? [] : [inline(id)])].join(' ');
  const called = title ?? name;
  return called === undefined ? label : `${label}: ${inline(called)}`;
}

/** The answer of a tool that reads one record: every field that the API returns. */
export function presentRecord(noun: string, schema: z.ZodObject, record: object): Presented {
  const data = sanitizeRecord(schema, record);
  return { summary: `${recordLabel(noun, data)}.`, data };
}

/** An answer with up to `count` rows. If it is too long, it is built again with fewer, and `how` says how to read the others. */
export function withCut(
  answer: (count: number) => Pick<Presented, 'summary' | 'data'>,
  count: number,
  how: string,
): Presented {
  const to = (most: number) => ({ ...answer(most), shown: most, how });
  return { ...answer(count), cut: { records: count, to } };
}

/** The same for several lists that are cut together. `lengths`: the rows of each; the note about the cut counts all rows. */
export function withCutLists(
  answer: (count: number) => Pick<Presented, 'summary' | 'data'>,
  lengths: readonly number[],
  how: string,
): Presented {
  const rowsTo = (most: number) => lengths.reduce((sum, length) => sum + Math.min(length, most), 0);
  const longest = Math.max(0, ...lengths);
  const to = (most: number) => ({ ...answer(most), shown: rowsTo(most), how });
  return { ...answer(longest), cut: { records: longest, total: rowsTo(longest), to } };
}

/** The fields whose value is not undefined. */
export function definedFields<Fields extends object>(fields: Fields): Partial<Fields> {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Partial<Fields>;
}
