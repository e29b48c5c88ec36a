import type { Oracle } from '../../task.ts';

export const oracle: Oracle = async ({ call }) => {
  const period = { created_after: '2026-04-01', created_before: '2026-06-01' };
  const report = await call('sales_report', { ...period, group_by: 'country' });
  const germany = report.rows('groups').find(({ key }) => key === 'Germany');
  const sums = Object.entries(germany?.revenue ?? {}).map(([currency, sum]) => `${sum} ${currency}`);
  return `Germany: ${germany?.orders} orders, ${sums.join(' and ')}.`;
};
