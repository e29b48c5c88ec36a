import { count, money } from '../../facts.ts';
import type { Check } from '../../task.ts';
import { ordersOf, sold, sums } from '../../truth.ts';

const april = { from: '2026-04-01', before: '2026-05-01' };

export const check: Check = {
  says: (academy) => {
    const orders = sold(academy, april);
    return [...Object.values(sums(orders)).map(money), count(orders.length)];
  },
  reads: () => ordersOf(april.from, april.before),
};
