import type { Oracle } from '../../task.ts';

export const oracle: Oracle = async ({ call }) => {
  const period = { created_after: '2025-01-01', created_before: '2026-06-29' };
  const found = await call('unpaid_orders', { product: 'Data Analysis with SQL', ...period });
  return found
    .rows('unpaid')
    .map(({ email, amount }) => `${email}: ${amount}`)
    .join('\n');
};
