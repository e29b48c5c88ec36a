import type { Oracle } from '../../task.ts';

export const oracle: Oracle = async ({ call }) => {
  const period = { created_after: '2026-01-01', created_before: '2026-04-01' };
  const report = await call('sales_report', { ...period, product_type: 'bundle' });
  const name = report.get('groups.0.label');
  return `${name}: sold ${report.get('groups.0.orders')} times, for ${report.get('groups.0.order_total.USD')} USD.`;
};
