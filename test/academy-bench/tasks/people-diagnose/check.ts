import { day, money, oneOf, phrase } from '../../facts.ts';
import type { Check } from '../../task.ts';
import { person, sold } from '../../truth.ts';

const email = 'lucja.zoltowski@mail.example.com';

export const check: Check = {
  says: (academy) => {
    const { id } = person(academy, email);
    const [order] = sold(academy, { course: 'Write Clearly at Work', statuses: ['failed'] }).filter(
      ({ student_id }) => student_id === id,
    );
    if (order === undefined) throw new Error('no failed order');
    const verbs = ['failed', 'failure', 'unpaid', 'declined', 'rejected', 'unsuccessful'];
    const negated = [
      'not paid',
      'not go through',
      "didn't go through",
      'never paid',
      'never went through',
      'not completed',
    ];
    return [
      day(new Date(order.created_at).toISOString()),
      money(order.amount),
      oneOf(...[...verbs, ...negated].map(phrase)),
    ];
  },
  reads: () => [`/api/v1/orders?status=all&user_email=${email}`, `/api/v1/students/details?email=${email}`],
};
