import type { StudentOrders } from '../../api/student-orders.ts';
import type { SoldOrder } from '../../insights/sales/sold-order.ts';
import { grantable, type OrderLoss, orderLosses } from '../../insights/students/order-losses.ts';
import { counted } from '../../mcp/output/text-format.ts';
import { called } from '../../mcp/titles.ts';
import { AcademyError } from '../../shared/errors.ts';
import { lossLine } from './loss-lines.ts';

// Describes the state before a write that takes something away, so that it can be granted again.

/** The products that a write takes off these orders, as refs. */
export type AffectedRefs = (orders: readonly SoldOrder[]) => readonly string[];

export interface Course {
  readonly id: number;
  readonly title?: string | undefined;
}

/** How to grant again what was taken, if that is possible. */
export function grantAgain(losses: readonly OrderLoss[]): string {
  const { courses, bundles, others } = grantable(losses);
  const each = [...bundles.map((id) => `bundle_id ${id}`), ...courses.map((id) => `course_id ${id}`)];
  const first =
    each.length === 0 ? 'nothing paid or granted was removed' : `enroll_student with ${each.join(', then ')}`;
  const downloads = others.map(({ id }) => id).join(', ');
  return others.length === 0
    ? first
    : `${first}; digital product ${downloads} cannot be granted alone, only within a bundle that holds it`;
}

/** What a write of unknown outcome may have taken off each order. */
export function ordersBeforeLines(known: StudentOrders | AcademyError, refsIn: AffectedRefs): string[] {
  if (known instanceof AcademyError)
    return [`It is not known what the orders listed before: they could not be read (${known.code}).`];
  const losses = orderLosses(known.orders, refsIn(known.orders));
  const gap = known.problem === undefined ? [] : [`Not all orders could be read (${known.problem}).`];
  if (losses.length === 0) return [...gap, 'No order that was read listed it before.'];
  return [
    ...gap,
    `Before, it was on ${counted(losses.length, 'order')}, which may have lost it:`,
    ...losses.map((loss) => lossLine(loss)),
    `To grant it again: ${grantAgain(losses)}.`,
  ];
}

/** The student's progress before a reset of unknown outcome. */
export function progressBeforeLines(
  known: { courses: readonly Course[]; before: readonly (number | undefined)[] } | AcademyError,
) {
  if (known instanceof AcademyError)
    return [`The earlier progress is not known: it could not be read (${known.code}).`];
  const { courses, before } = known;
  if (courses.length === 0)
    return ['The earlier progress is not known: no order shows which courses the bundle holds.'];
  return courses.map(({ id, title }, index) => {
    const percent = before[index];
    return `Earlier progress in ${called('course', id, title)}: ${percent === undefined ? 'not shown' : `${percent}%`}.`;
  });
}
