import { count, money } from '../../facts.ts';
import type { Check, Oracle, Saboteurs } from '../../task.ts';
import { buyers, ordersOf, sold, sums } from '../../truth.ts';
import { misquotes } from '../../wrong.ts';

const may = { from: '2026-05-01', before: '2026-06-01' };

export const check: Check = {
  says: (academy) => {
    const orders = sold(academy, may);
    return [...Object.values(sums(orders)).map(money), count(buyers(academy, orders).length)];
  },
  reads: () => ordersOf(may.from, may.before),
};

export const oracle: Oracle = async ({ call }) => {
  const report = await call('sales_report', { created_after: '2026-05-01', created_before: '2026-06-01' });
  const sums = report.entries('totals.revenue').map(([currency, sum]) => `${sum} ${currency}`);
  return `We took ${sums.join(', ')} from ${report.get('totals.buyers')} people.`;
};

const bounds = { created_after: '2026-05-01', created_before: '2026-06-01' };

export const saboteurs: Saboteurs = {
  said: {
    'counts people who got free access': misquotes('from 60 people', 'from 65 people'),
    'takes paid alone, without the wallet': async ({ call }) =>
      (await call('sales_report', { ...bounds, statuses: ['paid'] })).text,
    'is wrong by a cent': misquotes('589.40', '589.41'),
    'adds the currencies up': async () => 'We took 6085.20 from 60 people.',
  },
};
