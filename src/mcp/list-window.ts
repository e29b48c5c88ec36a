import * as z from 'zod';
import { unreadableEntries } from '../api/http/unreadable-paths.ts';
import type { InputOf, Operation } from '../contract/operation.ts';
import { integer, limitedText } from '../contract/schemas/input-fields.ts';
import type { ListResponse } from '../contract/schemas/response.ts';
import { type CursorScope, maxRows } from '../shared/cursor.ts';
import { isObject } from '../shared/json.ts';
import { listKey } from './list-cache.ts';
import { hasStrangeText } from './output/undeclared-text.ts';
import type { ToolContext } from './tool.ts';

/** Arguments of every tool whose list the API does not page. */
export const windowArguments = {
  limit: integer(1, 500, 'How many at most; 50 when omitted').optional(),
  cursor: limitedText(200).describe('next_cursor of the last answer').optional(),
};

/** `of` is the number of records there were. */
export const windowCursor = z.strictObject({ at: z.int().min(0).max(maxRows), of: z.int().min(0).max(maxRows) });

/** A part of a whole list, and where it lies. */
export interface ListWindow {
  items: object[];
  from: number;
  total: number;
  /** The number of records when the cursor was made, where it is another now. */
  totalBefore: number | undefined;
  /** Entries of the whole list that are no records. */
  lost: number;
  /** The number of records that the API names, where it names one. */
  count: number | undefined;
}

/** Some platforms count what they list. */
function countIn(answer: object): number | undefined {
  const { count, total, meta }: { count?: unknown; total?: unknown; meta?: unknown } = { ...answer };
  const counts = [count, total, ...(isObject(meta) ? [meta.count, meta.total, meta.total_count] : [])];
  return counts.find((value) => typeof value === 'number' && Number.isInteger(value)) as number | undefined;
}

interface ListFacts {
  readonly lost: number;
  readonly count: number | undefined;
}

/** Of lists as they are kept. */
const listFacts = new WeakMap<object[], ListFacts>();

async function fetchList<O extends Operation>(
  operation: O,
  input: InputOf<O>,
  { api }: ToolContext,
): Promise<object[]> {
  const answer = (await api.call(operation, input)) as { items: object[] };
  listFacts.set(answer.items, { lost: unreadableEntries(answer), count: countIn(answer) });
  return answer.items;
}

/** Fetches a list (or takes the one fetched for the page before) and cuts out what was asked for. */
export async function listWindow<O extends Operation & { response: ListResponse }>(
  operation: O,
  input: InputOf<O>,
  page: { limit?: number | undefined; cursor?: string | undefined; asked: CursorScope },
  context: ToolContext,
): Promise<ListWindow> {
  const { lists, cursors, conversation } = context;
  const start = page.cursor === undefined ? undefined : cursors.readUnsigned(windowCursor, page.cursor, page.asked);
  const key = listKey(operation, input);
  // A first page is always fresh: only going on may use what was fetched.
  const kept = start === undefined ? undefined : lists.get(key);
  const all = kept ?? (await fetchList(operation, input, context));
  if (kept === undefined) lists.set(key, all);
  const { lost = 0, count }: Partial<ListFacts> = listFacts.get(all) ?? {};
  const from = start?.at ?? 0;
  const items = all.slice(from, from + (page.limit ?? 50));
  // Another conversation may have fetched it: what was in it then is read here for the first time.
  if (kept !== undefined && hasStrangeText(operation, { items })) conversation.hasUserContent = true;
  return {
    items,
    from,
    total: all.length,
    totalBefore: start !== undefined && start.of !== all.length ? start.of : undefined,
    lost,
    count,
  };
}
