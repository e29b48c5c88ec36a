import { count, money, phrase } from '../../facts.ts';
import type { Check } from '../../task.ts';
import { ordersOf, sold, sums } from '../../truth.ts';

const quarter = { from: '2026-01-01', before: '2026-04-01' };

export const check: Check = {
  says: (academy) => {
    const sales = academy.catalogue.bundles
      .all()
      .map(({ title }) => ({ title, orders: sold(academy, { ...quarter, bundle: title }) }));
    const [best] = sales.sort((a, b) => b.orders.length - a.orders.length);
    if (best === undefined) throw new Error('no bundle');
    return [phrase(best.title), count(best.orders.length), ...Object.values(sums(best.orders)).map(money)];
  },
  reads: () => ordersOf(quarter.from, quarter.before),
};
