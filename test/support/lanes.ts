/** Does this work for each item, for so many of them at a time. The results have the order of the items. */
export async function inLanes<Item, Result>(
  items: readonly Item[],
  lanes: number,
  work: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const waiting = items.entries();
  const lane = async () => {
    for (const [index, item] of waiting) results[index] = await work(item, index);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return results;
}

/** The numbers from 0. */
export const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
