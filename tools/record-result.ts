import * as z from 'zod';
import { unreadableEntries } from '../src/api/http/answer-facts.ts';
import { type Fate, states } from '../src/insights/enrollment/plan.ts';
import { listOutput, recordOutput } from '../src/mcp/output/output-schemas.ts';
import { incompleteFor, lostText } from '../src/mcp/output/pagination.ts';
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

interface Search {
  /** The key of the rows in the answer, which is also their noun. */
  readonly list: string;
  readonly item: z.ZodObject;
  /** Number of rows that the API returns when it ignores `limit`. */
  readonly defaultLimit: number;
  readonly largestLimit: number;
  readonly narrow: string;
}

interface SearchInput {
  readonly query?: string | undefined;
  readonly product_type?: string | undefined;
  readonly limit?: number | undefined;
}

export const searchOutput = ({ list, item }: Pick<Search, 'list' | 'item'>) =>
  listOutput(list, recordOutput(item.shape), { count: z.int(), more: z.string(), note: z.string() });

function queryText({ query, product_type }: SearchInput): string {
  const type = product_type === undefined ? '' : ` of type ${product_type}`;
  if (query === undefined) return `exist${type}`;
  return `${type.trim()} with ${quoted(oneLine(query, 100))} in title, name or slug: try a shorter part of it`.trim();
}

/** The answer of a search whose API cuts the matches at a limit. `total`: the count that the API reports, if any. */
export function presentSearch(
  { list, item, defaultLimit, largestLimit, narrow }: Search,
  answer: { readonly items: readonly object[] },
  input: SearchInput,
  total = 0,
): Presented {
  const { limit = defaultLimit } = input;
  const rows = answer.items.map((one) => sanitizeRecord(item, one));
  const lost = unreadableEntries(answer);
  const count = Math.max(total, rows.length);
  const isFull = rows.length >= limit || rows.length === defaultLimit || count > rows.length;
  const advice = limit < largestLimit ? `raise limit (at most ${largestLimit}) or ${narrow}` : narrow;
  const more = isFull ? `there may be more than these ${rows.length}: ${advice}` : undefined;
  const note = rows.length === 0 && lost === 0 ? `no ${list} ${queryText(input)}` : undefined;
  const summary = `${counted(rows.length, list.replace(/s$/, ''))} found.`;
  return incompleteFor([lostText(lost)], { summary, data: { count, more, note, [list]: rows } });
}

/** Facts about the changes in each state, in the order of the states. */
export function byState<Item extends Fate, Value>(all: readonly Item[], facts: (some: readonly Item[]) => Value) {
  const groups = states.map((state) => [state, all.filter((one) => one.state === state)] as const);
  return Object.fromEntries(groups.filter(([, some]) => some.length > 0).map(([state, some]) => [state, facts(some)]));
}

/** "3 applied, 1 not started". */
export const countsText = (totals: Record<string, number>) =>
  Object.entries(totals)
    .map(([state, count]) => `${count} ${state.replaceAll('_', ' ')}`)
    .join(', ');

export const fateText = ({ state, why }: Fate) => (why === undefined ? state : `${state}: ${oneLine(why, 400)}`);
