import { exactly } from '../../facts.ts';
import type { Check } from '../../task.ts';
import { buyers, ordersOf, productNamed, sold } from '../../truth.ts';

const period = { from: '2026-03-01', before: '2026-06-01' };
const wanted = 'Bookkeeping for Freelancers';
const offered = 'Write Clearly at Work';

export const check: Check = {
  says: (academy) => {
    const had = [true, false].flatMap((free) => buyers(academy, sold(academy, { course: offered, free })));
    const bought = buyers(academy, sold(academy, { ...period, course: wanted }));
    return [
      exactly(
        academy,
        bought.filter((email) => !had.includes(email)),
      ),
    ];
  },
  reads: () => [productNamed(wanted), productNamed(offered), ...ordersOf('2024-01-01', '2026-07-01')],
};
