import type { Arrangement } from '../../academy.ts';

/** The first two readings of orders are refused. */
let refusals = 0;

export const world: Arrangement = {
  arrange: () => {
    refusals = 2;
  },
  fault: ([method, path]) => {
    if (method !== 'GET' || !path.startsWith('/api/v1/orders') || refusals === 0) return undefined;
    refusals -= 1;
    return { status: 429 };
  },
};
