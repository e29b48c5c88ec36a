import { exactly } from '../../facts.ts';
import type { Check } from '../../task.ts';
import { buyers, ordersOf, productNamed, sold } from '../../truth.ts';

const period = { from: '2026-06-01', before: '2026-06-21' };
const course = 'Python from Zero';

export const check: Check = {
  says: (academy) => [exactly(academy, buyers(academy, sold(academy, { ...period, course })))],
  reads: () => [productNamed(course), ...ordersOf(period.from, period.before)],
};
