import { exactly } from '../../facts.ts';
import type { Check } from '../../task.ts';
import { buyers, ordersOf, productNamed, sold } from '../../truth.ts';

const period = { from: '2026-01-01', before: '2026-06-15' };
const course = 'Python from Zero';

export const check: Check = {
  says: (academy) => [exactly(academy, buyers(academy, sold(academy, { ...period, course, free: true })))],
  reads: () => [productNamed(course), ...ordersOf(period.from, period.before)],
};
