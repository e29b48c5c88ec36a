import type { Oracle } from '../../task.ts';

export const oracle: Oracle = async ({ call }) => {
  const period = { created_after: '2026-04-01', created_before: '2026-05-01' };
  const report = await call('sales_report', period);
  const sums = report.entries('totals.revenue').map(([currency, sum]) => `${sum} ${currency}`);
  return `${sums.join(', ')} in ${report.get('totals.orders')} orders.`;
};
