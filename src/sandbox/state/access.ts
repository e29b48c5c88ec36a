import type { Academy } from './academy.ts';
import type { OrderRecord } from './orders.ts';

/** Orders that give access. Pending and failed ones give none. */
export function isSettled(order: OrderRecord): boolean {
  return order.status === 'paid' || order.status === 'wallet_executed';
}

/**
 * Ids of the courses that a student holds, ascending. An order of a bundle lists the bundle's courses too,
 * so a course that is taken from the order is lost even where the bundle stays.
 */
export function heldCourses(academy: Academy, studentId: number): number[] {
  const held = new Set<number>();
  for (const order of academy.orders.ofStudent(studentId)) {
    if (isSettled(order)) for (const course of order.courses) held.add(course);
  }
  return [...held].sort((a, b) => a - b);
}

/** What has to go from each order, by kind. */
export interface Removal {
  readonly courses?: readonly number[];
  readonly digitalProducts?: readonly number[];
  readonly bundles?: readonly number[];
}

/** Takes products from every order of a student, whatever its status. Orders without them stay untouched. */
export function removeFromOrders(academy: Academy, studentId: number, removal: Removal): void {
  for (const order of academy.orders.ofStudent(studentId)) {
    const courses = without(order.courses, removal.courses);
    const digitalProducts = without(order.digital_products, removal.digitalProducts);
    const bundles = without(order.bundles, removal.bundles);
    const unchanged =
      courses === order.courses && digitalProducts === order.digital_products && bundles === order.bundles;
    if (unchanged) continue;
    Object.assign(order, { courses, digital_products: digitalProducts, bundles, updated_at: academy.now().getTime() });
  }
}

/** The same array when nothing is removed. */
function without(ids: readonly number[], removed: readonly number[] = []): readonly number[] {
  return ids.some((id) => removed.includes(id)) ? ids.filter((id) => !removed.includes(id)) : ids;
}
