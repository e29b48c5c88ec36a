import { exactly, money } from '../../facts.ts';
import type { Check } from '../../task.ts';
import { buyers, courseId, ordersOf, productNamed, sold } from '../../truth.ts';

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
