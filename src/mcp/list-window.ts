import * as z from 'zod';
import { unreadableEntries, whyNotWhole } from '../api/http/answer-facts.ts';
import type { InputOf, Operation } from '../contract/operation.ts';
import { describedOnce, integer, limitedText } from '../contract/schemas/input-fields.ts';
import type { ListResponse } from '../contract/schemas/response.ts';
import { type CursorScope, cursorNumber, maxRows } from '../shared/cursor.ts';
import { createTtlCache, type TtlCache } from '../shared/ttl-cache.ts';
import { lostText } from './output/pagination.ts';
import { hasUndeclaredText } from './output/undeclared-text.ts';
import type { ToolContext } from './tool.ts';
import type { Store } from './workflow-stores.ts';

/** How long a list that the API sends whole is kept for its next page, in milliseconds. */
const ttlMs = 60_000;
const maxEntries = 20;
/** Records of all cached lists together: about 64 MiB. */
const maxWeight = 50_000;

export interface WholeList {
  readonly items: object[];
}

export const wholeLists: Store<TtlCache<WholeList>> = (now) =>
  createTtlCache<WholeList>({ ttlMs, maxEntries, maxWeight, weigh: ({ items }) => items.length, now });

export const listKey = (operation: Operation, input: object): string => `${operation.id} ${JSON.stringify(input)}`;

/** Arguments of each tool whose list the API sends whole. */
export const windowArguments = {
  limit: describedOnce(integer(1, 500, 'At most; default 50')).optional(),
  cursor: describedOnce(limitedText(200).describe('next_cursor of the last answer')).optional(),
};

/** `at`: index of the first record. `of`: length of the list when the cursor was made. */
export const windowCursor = z.strictObject({ at: cursorNumber(0, maxRows), of: cursorNumber(0, maxRows) });

/** A part of a whole list, and its place there. */
export interface ListWindow {
  readonly items: readonly object[];
  /** The whole list. */
  readonly all: readonly object[];
  readonly from: number;
  readonly total: number;
  /** The length of the list when the cursor was made, if it has changed since. */
  readonly totalBefore: number | undefined;
  /** Entries of the whole list that are not records. */
  readonly lost: number;
  /** Why the list may not be whole. */
  readonly doubts: readonly (string | undefined)[];
}

/** Filters and sorts a whole list. `lacking`: says which records were left out because they lack the value of a filter. */
export type Arrange = (all: readonly object[]) => { items: object[]; lacking: string | undefined };

/** Fetches a list, or takes the one cached for the previous page, and cuts out the requested part. */
export async function listWindow<O extends Operation & { response: ListResponse }>(
  operation: O,
  input: InputOf<O>,
  page: { limit?: number | undefined; cursor?: string | undefined; scope: CursorScope; arrange?: Arrange | undefined },
  { api, stores, cursors, conversation }: ToolContext,
): Promise<ListWindow> {
  const start = page.cursor === undefined ? undefined : cursors.read(windowCursor, page.cursor, page.scope);
  const key = listKey(operation, input);
  const lists = stores.of(wholeLists);
  // A first page is always fresh: only later pages use the cache.
  const cached = start && lists.get(key);
  const kept = start === undefined ? 'save' : 'use';
  const answer = cached ?? ((await api.call(operation, input, { kept })) as WholeList);
  if (cached === undefined) lists.set(key, answer);
  const { items: all } = answer;
  const lost = unreadableEntries(answer);
  const { items: arranged, lacking } = page.arrange?.(all) ?? { items: all, lacking: undefined };
  const { length: total } = arranged;
  const from = start?.at ?? 0;
  const items = arranged.slice(from, from + (page.limit ?? 50));
  // Another conversation may have fetched it: this one reads its texts for the first time.
  if (cached !== undefined) conversation.hasUserContent ||= hasUndeclaredText(operation, { items });
  const totalBefore = start !== undefined && start.of !== total ? start.of : undefined;
  return { items, all, from, total, totalBefore, lost, doubts: [lostText(lost), lacking, whyNotWhole(all, lost)] };
}
