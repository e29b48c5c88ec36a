import type { StudentOrders } from '../../api/student-orders.ts';
import { type SoldOrder, soldOrder } from '../../insights/sales/sold-order.ts';
import { grantable, type Taking, takings } from '../../insights/students/order-losses.ts';
import { counted } from '../../mcp/output/text-format.ts';
import { called } from '../../mcp/titles.ts';
import { AcademyError } from '../../shared/errors.ts';
import { takingLine } from './loss-lines.ts';

// What was there before a write that takes something away: with it, it can be granted again.

/** The products that a write takes off these orders. */
export type RefsIn = (orders: readonly SoldOrder[]) => readonly string[];

export interface Course {
  readonly id: number;
  readonly title?: string | undefined;
}

/** How to give back what was taken, as far as that can be done. */
export function grantAgain(taken: readonly Taking[]): string {
  const { courses, bundles, others } = grantable(taken);
  const each = [...bundles.map((id) => `bundle_id ${id}`), ...courses.map((id) => `course_id ${id}`)];
  const first =
    each.length === 0 ? 'nothing that was paid or granted was taken' : `enroll_student with ${each.join(', then ')}`;
  const downloads = others.map(({ id }) => id).join(', ');
  return others.length === 0
    ? first
    : `${first}; digital product ${downloads} cannot be granted alone, only within a bundle that holds it`;
}

/** What a write of unknown outcome may have taken off which order. */
export function linesBefore(known: StudentOrders | AcademyError, refsIn: RefsIn): string[] {
  if (known instanceof AcademyError)
    return [`What was on the orders before is not known: it could not be read (${known.code}).`];
  const orders = known.orders.map(soldOrder);
  const refs = refsIn(orders);
  const taken = takings(orders, refs);
  const gap = known.problem === undefined ? [] : [`Not all orders could be read (${known.problem}).`];
  if (taken.length === 0) return [...gap, 'No order that was read listed it before.'];
  return [
    ...gap,
    `Before it was on ${counted(taken.length, 'order')}, which may have lost it:`,
    ...taken.map(takingLine),
    `To grant it again: ${grantAgain(taken)}.`,
  ];
}

/** How far the student had come before a reset of unknown outcome. */
export function progressBefore(
  known: { courses: readonly Course[]; before: readonly (number | undefined)[] } | AcademyError,
) {
  if (known instanceof AcademyError) return [`The progress before is not known: it could not be read (${known.code}).`];
  const { courses, before } = known;
  if (courses.length === 0) return ['The progress before is not known: no order shows which courses the bundle holds.'];
  return courses.map(({ id, title }, index) => {
    const percent = before[index];
    return `Progress before in ${called('course', id, title)}: ${percent === undefined ? 'not shown' : `${percent}%`}.`;
  });
}
