import type { Oracle } from '../../task.ts';

export const oracle: Oracle = async ({ call }) => {
  const products = ['Python from Zero', 'Data Analysis with SQL'];
  const period = { created_after: '2026-01-01', created_before: '2026-06-01' };
  const found = await call('find_buyers', { products, match: 'all', ...period });
  return found
    .rows('buyers')
    .map(({ email }) => email)
    .join('\n');
};
