import type { Oracle } from '../../task.ts';

export const oracle: Oracle = async ({ call }) => {
  const found = await call('search_products', { query: 'Knitting' });
  return found.get('count') === '0'
    ? 'There is no course "Advanced Knitting", so I enrolled nobody. Which one is it?'
    : '';
};
