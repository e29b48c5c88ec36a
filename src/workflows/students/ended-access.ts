import type { StudentOrders } from '../../api/student-orders.ts';
import type { SoldOrder } from '../../insights/sales/sold-order.ts';
import { accessEnd, lastTime } from '../../insights/students/access-end.ts';
import type { Holding } from '../../insights/students/holdings.ts';
import { ordersWith } from '../../insights/students/order-groups.ts';
import type { ToolContext } from '../../mcp/tool.ts';
import { readAccessDays } from './access-days.ts';

interface Held {
  readonly known: Pick<StudentOrders, 'isCut' | 'problem'>;
  readonly orders: readonly SoldOrder[];
  readonly holdings: readonly Holding[];
}

/** The day on which access to a held course ended, by ref; `undefined`: it has not. Courses that were not checked are missing. */
export type EndedAccess = ReadonlyMap<string, string | undefined>;

/**
 * Checks the days of access of each held course: one request for each, or two for a challenge. Later calls have them cached.
 * Checks none if orders are missing: one of them may have extended the access.
 */
export async function readEndedAccess(
  { known, orders, holdings }: Held,
  maxRequests: number,
  context: ToolContext,
): Promise<EndedAccess> {
  if (known.isCut || known.problem !== undefined) return new Map();
  const courses = holdings.filter(({ kind }) => kind === 'course');
  const { days } = await readAccessDays(courses, maxRequests, context);
  const checked = courses.filter(({ ref }) => days.has(ref));
  return new Map(
    checked.map(({ ref }) => [ref, accessEnd(lastTime(ordersWith(orders, ref)), days.get(ref), context.now())]),
  );
}
