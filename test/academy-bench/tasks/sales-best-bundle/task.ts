import { count, money, phrase } from '../../facts.ts';
import type { Check, Oracle, Saboteurs } from '../../task.ts';
import { ordersOf, sold, sums } from '../../truth.ts';
import { misquotes, says } from '../../wrong.ts';

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

export const oracle: Oracle = async ({ call }) => {
  const period = { created_after: '2026-01-01', created_before: '2026-04-01' };
  const report = await call('sales_report', { ...period, product_type: 'bundle' });
  const name = report.get('groups.0.label');
  return `${name}: sold ${report.get('groups.0.orders')} times, for ${report.get('groups.0.order_total.USD')} USD.`;
};

export const saboteurs: Saboteurs = {
  said: {
    'ranks by money': says('Creative Year: sold 3 times, for 537.00 USD.'),
    'counts one order too many': misquotes('4 times', '5 times'),
    'has the sum of all bundles': misquotes('316.00', '1,698.00'),
    'has the right bundle alone': says('Kitchen Table Crafts.'),
  },
};
