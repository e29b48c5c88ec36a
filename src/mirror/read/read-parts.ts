import type { Cell, Statement } from '../engine/messages.ts';
import type { Store } from '../store.ts';

/** Rows of one part: the heap of the thread has no room for a long list. */
const partSize = 5_000;

/** A statement for the next rows of a list, from the first two columns of the last row; undefined: from the start. */
export type PartAfter = (last: readonly Cell[] | undefined, size: number) => Statement;

/** Reads a long list part by part, each after the last row of the part before. */
export async function readParts<Item>(
  store: Pick<Store, 'read'>,
  partAfter: PartAfter,
  itemOf: (cells: readonly Cell[]) => Item,
): Promise<Item[]> {
  const items: Item[] = [];
  let last: readonly Cell[] | undefined;
  do {
    const { sql, values } = partAfter(last, partSize);
    const rows = await store.read(sql, values);
    for (const row of rows) items.push(itemOf(row.slice(2)));
    last = rows.length < partSize ? undefined : rows.at(-1);
  } while (last !== undefined);
  return items;
}
