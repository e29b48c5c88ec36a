import { day, money, oneOf, phrase } from '../../facts.ts';
import type { Check, Oracle, Saboteurs } from '../../task.ts';
import { person, sold } from '../../truth.ts';
import { also, misquotes, says } from '../../wrong.ts';

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

export const oracle: Oracle = async ({ call }) => {
  const product = 'Write Clearly at Work';
  const found = await call('diagnose_access', { email: 'lucja.zoltowski@mail.example.com', product });
  const [order] = found.rows('unpaid');
  return `The payment of her order of ${String(order?.created_at).slice(0, 10)} (${order?.amount}) ${order?.status}.`;
};

export const saboteurs: Saboteurs = {
  state: { 'gives her the course': also('enroll_student', { email, course_id: 3 }) },
  said: {
    'blames publication': says('The course of 17 June for 59.00 is not published.'),
    'has another order': misquotes('2026-06-17', '2026-06-12'),
    'has the price alone': misquotes('2026-06-17', 'last month'),
  },
};
