import * as z from 'zod';
import { unreadableEntries, whyNotWhole } from '../api/http/answer-facts.ts';
import type { InputOf, Operation } from '../contract/operation.ts';
import { describedOnce, integer, limitedText } from '../contract/schemas/input-fields.ts';
import type { ListResponse } from '../contract/schemas/response.ts';
import { type CursorScope, cursorNumber, maxRows } from '../shared/cursor.ts';
import { listKey } from './list-cache.ts';
import { hasUndeclaredText } from './output/undeclared-text.ts';
import type { ToolContext } from './tool.ts';

/** Arguments of each tool whose list the API sends whole. */
export const windowArguments = {
  limit: describedOnce(integer(1, 500, 'At most; default 50')).optional(),
  cursor: describedOnce(limitedText(200).describe('next_cursor of the last answer')).optional(),
};

/** `at`: index of the first record. `of`: length of the list when the cursor was made. */
export const windowCursor = z.strictObject({ at: cursorNumber(0, maxRows), of: cursorNumber(0, maxRows) });

/** A part of a whole list, and its place there. */
export interface ListWindow {
  items: object[];
  /** The whole list: the same array for each page, while it is cached. */
  all: readonly object[];
  from: number;
  total: number;
  /** The length of the list when the cursor was made, if it has changed since. */
  totalBefore: number | undefined;
  /** Entries of the whole list that are not records. */
  lost: number;
  /** Why the list is not whole, as far as its answer says. */
  notWhole: string | undefined;
  /** Records that were left out because they lack the value of a filter; undefined if there are none. */
  lacking?: string | undefined;
}

/** Filters and sorts a whole list. */
export type Arrange = (all: readonly object[]) => { items: object[]; lacking: string | undefined };

interface ListFacts {
  readonly lost: number;
  readonly notWhole: string | undefined;
}

/** Facts of the cached lists. */
const listFacts = new WeakMap<object[], ListFacts>();

async function fetchList<O extends Operation>(
  operation: O,
  input: InputOf<O>,
  { api }: ToolContext,
  isFurther: boolean,
): Promise<object[]> {
  const kept = isFurther ? 'use' : 'save';
  const answer = (await api.call(operation, input, { kept })) as { items: object[] };
  const lost = unreadableEntries(answer);
  listFacts.set(answer.items, { lost, notWhole: whyNotWhole(answer.items, lost) });
  return answer.items;
}

/** Fetches a list, or takes the one cached for the previous page, and cuts out the requested part. */
export async function listWindow<O extends Operation & { response: ListResponse }>(
  operation: O,
  input: InputOf<O>,
  page: { limit?: number | undefined; cursor?: string | undefined; scope: CursorScope; arrange?: Arrange | undefined },
  context: ToolContext,
): Promise<ListWindow> {
  const { lists, cursors, conversation } = context;
  const start = page.cursor === undefined ? undefined : cursors.read(windowCursor, page.cursor, page.scope);
  const key = listKey(operation, input);
  // A first page is always fresh: only later pages use the cache.
  const cached = start === undefined ? undefined : lists.get(key);
  const all = cached ?? (await fetchList(operation, input, context, start !== undefined));
  if (cached === undefined) lists.set(key, all);
  const { lost = 0, notWhole }: Partial<ListFacts> = listFacts.get(all) ?? {};
  const { items: kept, lacking } = page.arrange?.(all) ?? { items: all, lacking: undefined };
  const from = start?.at ?? 0;
  const items = kept.slice(from, from + (page.limit ?? 50));
  // Another conversation may have fetched it: this one reads its texts for the first time.
  if (cached !== undefined) conversation.hasUserContent ||= hasUndeclaredText(operation, { items });
  return {
    items,
    all,
    from,
    total: kept.length,
    totalBefore: start !== undefined && start.of !== kept.length ? start.of : undefined,
    lost,
    notWhole,
    lacking,
  };
}
