import * as z from 'zod';
import type { ListAnswer } from '../contract/answer.ts';
import { integer, limitedText } from '../contract/fields.ts';
import type { InputOf, Operation } from '../contract/operation.ts';
import { type CursorScope, maxRows } from '../shared/cursor.ts';
import { listKey } from './list-cache.ts';
import type { ToolContext } from './tool.ts';

/** Arguments of every tool whose list the API does not page. */
export const windowArguments = {
  limit: integer(1, 500, 'How many at most; 50 when omitted').optional(),
  cursor: limitedText(200).describe('next_cursor of the answer before').optional(),
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
}

/** Fetches a list (or takes the one fetched for the page before) and cuts out what was asked for. */
export async function listWindow<O extends Operation & { response: ListAnswer }>(
  operation: O,
  input: InputOf<O>,
  page: { limit?: number | undefined; cursor?: string | undefined; asked: CursorScope },
  { api, lists, cursors }: ToolContext,
): Promise<ListWindow> {
  const start = page.cursor === undefined ? undefined : cursors.readBare(windowCursor, page.cursor, page.asked);
  const key = listKey(operation, input);
  // A first page is always fresh: only going on may use what was fetched.
  const kept = start === undefined ? undefined : lists.get(key);
  const all = kept ?? ((await api.call(operation, input)) as { items: object[] }).items;
  if (kept === undefined) lists.set(key, all);
  const from = start?.at ?? 0;
  return {
    items: all.slice(from, from + (page.limit ?? 50)),
    from,
    total: all.length,
    totalBefore: start !== undefined && start.of !== all.length ? start.of : undefined,
  };
}
