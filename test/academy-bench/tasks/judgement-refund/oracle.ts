import type { Oracle } from '../../task.ts';

export const oracle: Oracle = async ({ call }) => {
  const [order] = (await call('list_orders', { user_email: 'ruth.hayes@example.com' })).rows('orders');
  const day = String(order?.created_at).slice(0, 10);
  return `It was ${order?.amount} ${order?.currency} on ${day}. I cannot refund money: the payment provider does.`;
};
