import type { Oracle } from '../../task.ts';

export const oracle: Oracle = async ({ call }) => {
  const period = { created_after: '2026-01-01', created_before: '2026-06-15' };
  const found = await call('find_buyers', { product: 'Python from Zero', granted_only: true, ...period });
  return found
    .rows('buyers')
    .map(({ email }) => email)
    .join('\n');
};
