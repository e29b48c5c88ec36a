import type { Oracle } from '../../task.ts';

export const oracle: Oracle = async ({ call }) => {
  const products = { product: 'Bookkeeping for Freelancers', without: ['Write Clearly at Work'] };
  const found = await call('find_buyers', { ...products, created_after: '2026-03-01', created_before: '2026-06-01' });
  return found
    .rows('buyers')
    .map(({ email }) => email)
    .join('\n');
};
