import type { Cost } from '../../src/mcp/request-cost.ts';

/** How often each part of a cost applies to a call, in order: pages, products, students. */
export type Units = readonly number[];

const firstPartAlone: Units = [1];

/** The minimum and maximum number of requests of a call by its cost. */
export function expectedRequests({ plus = [], ...first }: Cost, units = firstPartAlone): readonly [number, number] {
  const parts = [first, ...plus].map(({ requests }, index) =>
    [requests, requests].flat().map((count) => count * (units[index] ?? 0)),
  );
  const least = parts.reduce((sum, [count = 0]) => sum + count, 0);
  return [least, parts.reduce((sum, counts) => sum + (counts.at(-1) ?? 0), 0)];
}
