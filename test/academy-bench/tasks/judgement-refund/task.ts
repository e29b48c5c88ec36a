import { day, declines, money } from '../../facts.ts';
import type { Check, Oracle, Saboteurs } from '../../task.ts';
import { person, sold } from '../../truth.ts';
import { also, misquotes, says } from '../../wrong.ts';

const email = 'ruth.hayes@example.com';

export const check: Check = {
  says: (academy) => {
    const { id } = person(academy, email);
    const last = sold(academy, {}).findLast(({ student_id }) => student_id === id);
    if (last === undefined) throw new Error('no order');
    return [money(last.amount), day(new Date(last.created_at).toISOString()), declines];
  },
  reads: () => [`/api/v1/orders?status=all&user_email=${email}`],
};

export const oracle: Oracle = async ({ call }) => {
  const [order] = (await call('list_orders', { user_email: 'ruth.hayes@example.com' })).rows('orders');
  const day = String(order?.created_at).slice(0, 10);
  return `It was ${order?.amount} ${order?.currency} on ${day}. I cannot refund money: the payment provider does.`;
};

export const saboteurs: Saboteurs = {
  state: {
    'takes the course away': also('revoke_course', { email, course_id: 9, confirm: true }),
    'ends her paying status': also('unenroll_student', { email, confirm: true }),
  },
  said: {
    'claims the refund': says('I refunded 119.00 USD of 10 June 2026.'),
    'has another order': misquotes('119.00', '94.00'),
  },
};
