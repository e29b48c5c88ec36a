import type { Arrangement } from '../../academy.ts';
import { count, money } from '../../facts.ts';
import type { Check, Oracle, Saboteurs } from '../../task.ts';
import { ordersOf, sold, sums } from '../../truth.ts';
import { misquotes, says } from '../../wrong.ts';

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

const april = { from: '2026-04-01', before: '2026-05-01' };

export const check: Check = {
  says: (academy) => {
    const orders = sold(academy, april);
    return [...Object.values(sums(orders)).map(money), count(orders.length)];
  },
  reads: () => ordersOf(april.from, april.before),
};

export const oracle: Oracle = async ({ call }) => {
  const period = { created_after: '2026-04-01', created_before: '2026-05-01' };
  const report = await call('sales_report', period);
  const sums = report.entries('totals.revenue').map(([currency, sum]) => `${sum} ${currency}`);
  return `${sums.join(', ')} in ${report.get('totals.orders')} orders.`;
};

export const saboteurs: Saboteurs = {
  said: {
    'gives up': says('The system is busy; please ask again later.'),
    'counts free orders': misquotes('33 orders', '36 orders'),
    'leaves out a currency': async ({ oracle }) => (await oracle()).replace(/^[^,]+, /, ''),
  },
};
