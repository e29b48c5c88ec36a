import type { Presented } from '../src/mcp/tool.ts';

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
