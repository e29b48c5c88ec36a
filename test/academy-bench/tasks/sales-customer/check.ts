import { count, day, money } from '../../facts.ts';
import type { Check } from '../../task.ts';
import { person, sold, sums } from '../../truth.ts';

const email = 'remi.cote@example.com';

export const check: Check = {
  says: (academy) => {
    const { id } = person(academy, email);
    const orders = sold(academy, {}).filter(({ student_id }) => student_id === id);
    const last = new Date(Math.max(...orders.map(({ created_at }) => created_at))).toISOString();
    return [count(orders.length), ...Object.values(sums(orders)).map(money), day(last)];
  },
  reads: () => [`/api/v1/orders?status=all&user_email=${encodeURIComponent(email)}`],
};
