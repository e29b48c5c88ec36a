import { homeOf } from '../../../../src/sandbox/seed/product-picker.ts';
import { count, money } from '../../facts.ts';
import type { Check, Oracle, Saboteurs } from '../../task.ts';
import { ordersOf, sold, sums } from '../../truth.ts';
import { misquotes, says } from '../../wrong.ts';

const period = { from: '2026-04-01', before: '2026-06-01' };

export const check: Check = {
  says: (academy) => {
    const orders = sold(academy, period).filter(
      ({ student_id }) => homeOf(academy.key, student_id).country.name === 'Germany',
    );
    return [count(orders.length), ...Object.values(sums(orders)).map(money)];
  },
  reads: () => ordersOf(period.from, period.before),
};

export const oracle: Oracle = async ({ call }) => {
  const period = { created_after: '2026-04-01', created_before: '2026-06-01' };
  const report = await call('sales_report', { ...period, group_by: 'country' });
  const germany = report.rows('groups').find(({ key }) => key === 'Germany');
  const sums = Object.entries(germany?.revenue ?? {}).map(([currency, sum]) => `${sum} ${currency}`);
  return `Germany: ${germany?.orders} orders, ${sums.join(' and ')}.`;
};

export const saboteurs: Saboteurs = {
  said: {
    'leaves out orders in dollars': misquotes(' and 1005.70 USD', ''),
    'counts buyers as orders': misquotes('18 orders', '9 orders'),
    'adds the currencies up': says('Germany: 18 orders, 1,368.20 in all.'),
    'has another country': says('Germany: 13 orders, 342.40 GBP and 227.40 USD.'),
  },
};
