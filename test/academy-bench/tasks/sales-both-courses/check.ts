import { exactly } from '../../facts.ts';
import type { Check } from '../../task.ts';
import { buyers, ordersOf, productNamed, sold } from '../../truth.ts';

const period = { from: '2026-01-01', before: '2026-06-01' };
const wanted = ['Python from Zero', 'Data Analysis with SQL'];

export const check: Check = {
  says: (academy) => {
    const [one = [], other = []] = wanted.map((course) => buyers(academy, sold(academy, { ...period, course })));
    return [
      exactly(
        academy,
        one.filter((email) => other.includes(email)),
      ),
    ];
  },
  reads: () => [...wanted.map(productNamed), ...ordersOf(period.from, period.before)],
};
