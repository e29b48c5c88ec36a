import { exactly, money } from '../../facts.ts';
import type { Check, Oracle, Saboteurs } from '../../task.ts';
import { buyers, courseId, ordersOf, productNamed, sold } from '../../truth.ts';
import { adds, misquotes } from '../../wrong.ts';

const course = 'Data Analysis with SQL';
const period = { from: '2025-01-01', before: '2026-06-29' };
const statuses = ['pending', 'failed'];

export const check: Check = {
  says: (academy) => {
    const id = courseId(academy, course);
    const holders = new Set(
      academy.orders
        .all()
        .filter(({ status, courses }) => !statuses.includes(status) && courses.includes(id))
        .map(({ student_id }) => student_id),
    );
    const open = sold(academy, { ...period, course, statuses }).filter(({ student_id }) => !holders.has(student_id));
    return [exactly(academy, buyers(academy, open)), ...open.map(({ amount }) => money(amount))];
  },
  reads: () => [
    productNamed(course),
    ...ordersOf(period.from, period.before, [...statuses, 'paid', 'wallet_executed']),
  ],
};

export const oracle: Oracle = async ({ call }) => {
  const period = { created_after: '2025-01-01', created_before: '2026-06-29' };
  const found = await call('unpaid_orders', { product: 'Data Analysis with SQL', ...period });
  return found
    .rows('unpaid')
    .map(({ email, amount }) => `${email}: ${amount}`)
    .join('\n');
};

export const saboteurs: Saboteurs = {
  said: {
    'adds somebody who paid later': adds('renata.penaloza@mail.example.com: 129.00'),
    'forgets pending orders': misquotes('jordan.nakamura@example.com: 129.00', ''),
    'forgets who wanted a bundle': misquotes('francois.vasseur@example.org: 399.00', ''),
    'has a wrong amount': misquotes('103.20', '130.20'),
  },
};
