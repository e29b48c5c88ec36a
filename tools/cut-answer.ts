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
