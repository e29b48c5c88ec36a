import { day, declines, money } from '../../facts.ts';
import type { Check } from '../../task.ts';
import { person, sold } from '../../truth.ts';

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
