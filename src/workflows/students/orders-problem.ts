import type { StudentOrders } from '../../api/student-orders.ts';

/** With more orders of others than this, and than their own, the API does not filter by email. */
const mostOthers = 3;

/**
 * Why orders of a student may be missing; undefined if none are. An order that the API returned for this email but that
 * shows another email may be theirs, under an email that they had or gave at the purchase.
 */
export function ordersProblem({ problem, discarded, orders }: Pick<StudentOrders, 'problem' | 'discarded' | 'orders'>) {
  if (problem !== undefined || discarded === 0 || discarded > Math.max(mostOthers, orders.length)) return problem;
  const what = discarded === 1 ? '1 order' : `${discarded} orders`;
  return `the API returned ${what} for this email that ${discarded === 1 ? 'shows' : 'show'} another email`;
}
