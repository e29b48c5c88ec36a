import { homeOf } from '../../../../src/sandbox/seed/pick.ts';
import { count, money } from '../../facts.ts';
import type { Check } from '../../task.ts';
import { ordersOf, sold, sums } from '../../truth.ts';

const period = { from: '2026-04-01', before: '2026-06-01' };

export const check: Check = {
  says: (academy) => {
    const orders = sold(academy, period).filter(
      ({ student_id }) => homeOf(academy.key, student_id).country.name === 'Germany',
    );
    return [count(orders.length), ...Object.values(sums(orders)).map(money)];
  },
  reads: () => ordersOf(period.from, period.before),
};
