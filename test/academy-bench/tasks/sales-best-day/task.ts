import { day, money } from '../../facts.ts';
import type { Check, Oracle, Saboteurs } from '../../task.ts';
import { ordersOf, sold, sums } from '../../truth.ts';
import { misquotes, says } from '../../wrong.ts';

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

export const oracle: Oracle = async ({ call }) => {
  const period = { created_after: '2026-05-01', created_before: '2026-06-01' };
  const report = await call('sales_report', { ...period, group_by: 'day' });
  const days = report.rows('groups').map(({ key, revenue }) => {
    const { USD = '0' } = (revenue ?? {}) as { USD?: string };
    return { key, sum: Number(USD) };
  });
  const [best] = days.sort((a, b) => b.sum - a.sum);
  return `${best?.key}: ${best?.sum.toFixed(2)} USD.`;
};

export const saboteurs: Saboteurs = {
  said: {
    'is a day late': misquotes('2026-05-', '2026-06-'),
    'has the best day of June': says('19 June 2026: 593.00 USD.'),
    'has the day without the sum': async ({ oracle }) => (await oracle()).split(':')[0] ?? '',
    'has the sum of the month': async ({ oracle }) => `${(await oracle()).split(':')[0]}: 4404.60 USD`,
  },
};
