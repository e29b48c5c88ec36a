import type { Academy } from './academy.ts';
import type { OrderItems, OrderRecord } from './orders.ts';

/** True if the order gives access. Pending and failed orders give none. */
export function isSettled(order: OrderRecord): boolean {
  return order.status === 'paid' || order.status === 'wallet_executed';
}

/** Ascending. An order of a bundle also lists its courses. A course taken off the order is lost, even if the bundle stays. */
export function heldCourses(academy: Academy, studentId: number): number[] {
  const held = new Set<number>();
  for (const order of academy.orders.ofStudent(studentId)) {
    if (isSettled(order)) for (const course of order.courses) held.add(course);
  }
  return [...held].sort((a, b) => a - b);
}

const kinds = ['courses', 'digital_products', 'bundles'] as const;

/** Removes products from every order of a student, of any status. Leaves orders without them unchanged. */
export function removeFromOrders(academy: Academy, studentId: number, removal: OrderItems): void {
  for (const order of academy.orders.ofStudent(studentId)) {
    const held = kinds.filter((kind) => order[kind].some((id) => removal[kind]?.includes(id)));
    for (const kind of held) order[kind] = order[kind].filter((id) => !removal[kind]?.includes(id));
    if (held.length > 0) order.updated_at = academy.now().getTime();
  }
}

/** Percent of the published lessons of some courses that a student has completed. Rounded down, so 100 means every one. */
function completion({ lessons, progress }: Academy, studentId: number, courseIds: readonly number[]): number {
  let [done, all] = [0, 0];
  for (const courseId of courseIds) {
    const published = lessons.publishedIds(courseId);
    all += published.size;
    for (const lesson of progress.completed(studentId, courseId)) if (published.has(lesson)) done += 1;
  }
  return all === 0 ? 0 : Math.floor((done * 100) / all);
}

/** 0 for a course that the student has no access to, even if they completed it before. */
export function courseCompletion(academy: Academy, studentId: number, courseId: number): number {
  return heldCourses(academy, studentId).includes(courseId) ? completion(academy, studentId, [courseId]) : 0;
}

export function totalCompletion(academy: Academy, studentId: number): number {
  return completion(academy, studentId, heldCourses(academy, studentId));
}
