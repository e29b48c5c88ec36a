import type { Oracle } from '../../task.ts';

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
