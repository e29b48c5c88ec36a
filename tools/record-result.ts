import type * as z from 'zod';
import { sanitizeRecord } from '../src/mcp/output/sanitize.ts';
import { counted, inline } from '../src/mcp/output/text-format.ts';
import type { Presented } from '../src/mcp/tool.ts';
import { oneLine } from '../src/shared/clean-text.ts';
import { quoted } from '../src/shared/quote-text.ts';

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

export function definedFields<Fields extends object>(fields: Fields): Partial<Fields> {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Partial<Fields>;
}

interface SearchResult {
  /** The key of the rows in the answer, which is also their noun. */
  list: string;
  rows: readonly object[];
  limit: number;
  query: { query?: string | undefined; product_type?: string | undefined };
  largestLimit: number;
  narrow: string;
  /** Number of rows that the API returns when it ignores `limit`. */
  defaultCount: number;
  /** The count that the API reports, if any. */
  total?: number | undefined;
  lost?: number;
}

function queryText({ query, product_type }: SearchResult['query']): string {
  const type = product_type === undefined ? '' : ` of type ${product_type}`;
  if (query === undefined) return `exist${type}`;
  return `${type.trim()} with ${quoted(oneLine(query, 100))} in title, name or slug: try a shorter part of it`.trim();
}

/** The answer of a search whose API cuts the matches at a limit and does not say how many there are. */
export function presentSearchResult({
  list,
  rows,
  query,
  limit,
  largestLimit,
  narrow,
  defaultCount,
  total,
  lost = 0,
}: SearchResult): Presented {
  const count = Math.max(total ?? 0, rows.length);
  const isFull = rows.length >= limit || rows.length === defaultCount || count > rows.length;
  const advice = limit < largestLimit ? `raise limit (at most ${largestLimit}) or ${narrow}` : narrow;
  const more = isFull ? { more: `there may be more than these ${rows.length}: ${advice}` } : {};
  const note = rows.length === 0 && lost === 0 ? `no ${list} ${queryText(query)}` : undefined;
  const problem = lost > 0 ? `${lost} entries are not records and could not be read` : undefined;
  return {
    summary: `${problem === undefined ? '' : `Incomplete (${problem}): `}${counted(rows.length, list.replace(/s$/, ''))} found.`,
    data: {
      count,
      ...(problem === undefined ? {} : { coverage: { complete: false, stopped: problem } }),
      ...more,
      ...(note === undefined ? {} : { note }),
      ...(rows.length > 0 ? { [list]: rows } : {}),
    },
  };
}
