import { count, money } from '../../facts.ts';
import type { Check } from '../../task.ts';
import { buyers, ordersOf, sold, sums } from '../../truth.ts';

const may = { from: '2026-05-01', before: '2026-06-01' };

export const check: Check = {
  says: (academy) => {
    const orders = sold(academy, may);
    return [...Object.values(sums(orders)).map(money), count(buyers(academy, orders).length)];
  },
  reads: () => ordersOf(may.from, may.before),
};
