import { day, money, oneOf, phrase } from '../../facts.ts';
import type { Check } from '../../task.ts';
import { person, sold } from '../../truth.ts';

const email = 'lucja.zoltowski@mail.example.com';
const unpaid =
  "failed|failure|unpaid|declined|rejected|unsuccessful|never paid|never went through|not paid|not completed|not go through|didn't go through";

export const check: Check = {
  says: (academy) => {
    const { id } = person(academy, email);
    const [order] = sold(academy, { course: 'Write Clearly at Work', statuses: ['failed'] }).filter(
      ({ student_id }) => student_id === id,
    );
    if (order === undefined) throw new Error('no failed order');
    return [
      day(new Date(order.created_at).toISOString()),
      money(order.amount),
      oneOf(...unpaid.split('|').map(phrase)),
    ];
  },
  reads: () => [`/api/v1/orders?status=all&user_email=${email}`, `/api/v1/students/details?email=${email}`],
};
