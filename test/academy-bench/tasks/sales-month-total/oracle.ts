import type { Oracle } from '../../task.ts';

export const oracle: Oracle = async ({ call }) => {
  const report = await call('sales_report', { created_after: '2026-05-01', created_before: '2026-06-01' });
  const sums = report.entries('totals.revenue').map(([currency, sum]) => `${sum} ${currency}`);
  return `We took ${sums.join(', ')} from ${report.get('totals.buyers')} people.`;
};
