import type { Academy } from './academy.ts';
import type { OrderItems, OrderRecord } from './orders.ts';

/** True if the order gives access. Pending and failed orders give none. */
export function isSettled(order: OrderRecord): boolean {
  return order.status === 'paid' || order.status === 'wallet_executed';
}

/**
 * Ids of the courses that a student has access to, ascending. An order of a bundle also lists the bundle's courses. A
 * course removed from the order is lost, even if the bundle stays.
 */
export function heldCourses(academy: Academy, studentId: number): number[] {
  const held = new Set<number>();
  for (const order of academy.orders.ofStudent(studentId)) {
    if (isSettled(order)) for (const course of order.courses) held.add(course);
  }
  return [...held].sort((a, b) => a - b);
}

/** Removes products from every order of a student, whatever its status. Leaves orders without them unchanged. */
export function removeFromOrders(academy: Academy, studentId: number, removal: OrderItems): void {
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

/** Returns the same array if nothing is removed. */
function without(ids: readonly number[], removed: readonly number[] = []): readonly number[] {
  return ids.some((id) => removed.includes(id)) ? ids.filter((id) => !removed.includes(id)) : ids;
}

interface Share {
  readonly done: number;
  readonly all: number;
}

/** Rounded down, so 100 means every published lesson. */
function percent({ done, all }: Share): number {
  return all === 0 ? 0 : Math.floor((done * 100) / all);
}

function shareOfCourse(academy: Academy, studentId: number, courseId: number): Share {
  const published = academy.lessons.publishedIds(courseId);
  let done = 0;
  for (const lesson of academy.progress.completed(studentId, courseId)) if (published.has(lesson)) done += 1;
  return { done, all: published.size };
}

/** 0 for a course that the student has no access to, even if they completed it before. */
export function courseCompletion(academy: Academy, studentId: number, courseId: number): number {
  const holds = heldCourses(academy, studentId).includes(courseId);
  return holds ? percent(shareOfCourse(academy, studentId, courseId)) : 0;
}

/** Over the published lessons of all courses that the student has access to. */
export function totalCompletion(academy: Academy, studentId: number): number {
  let done = 0;
  let all = 0;
  for (const course of heldCourses(academy, studentId)) {
    const share = shareOfCourse(academy, studentId, course);
    done += share.done;
    all += share.all;
  }
  return percent({ done, all });
}
