import type { Oracle } from '../../task.ts';

export const oracle: Oracle = async ({ call }) => {
  const product = 'Write Clearly at Work';
  const found = await call('diagnose_access', { email: 'lucja.zoltowski@mail.example.com', product });
  const [order] = found.rows('unpaid');
  return `The payment of her order of ${String(order?.created_at).slice(0, 10)} (${order?.amount}) ${order?.status}.`;
};
