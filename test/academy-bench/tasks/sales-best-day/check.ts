import { day, money } from '../../facts.ts';
import type { Check } from '../../task.ts';
import { ordersOf, sold, sums } from '../../truth.ts';

export const check: Check = {
  says: (academy) => {
    const days = Array.from({ length: 31 }, (_, index) => {
      const at = (date: number) => new Date(Date.UTC(2026, 4, date)).toISOString();
      const orders = sold(academy, { from: at(index + 1), before: at(index + 2) });
      return { date: at(index + 1), sum: Number(sums(orders).USD ?? 0) };
    });
    const [best] = days.sort((a, b) => b.sum - a.sum);
    return best === undefined ? [] : [day(best.date), money(best.sum.toFixed(2))];
  },
  reads: () => ordersOf('2026-05-01', '2026-06-01'),
};
