import { createHash } from 'node:crypto';
import { getCourseStructure } from '../../contract/courses.ts';
import type { Operation } from '../../contract/operation.ts';
import { listOrders } from '../../contract/orders.ts';
import { getStudentDetails } from '../../contract/students.ts';
import { productKinds, productLists, readProductList } from '../../insights/sales/products-in-order.ts';
import { isObject } from '../../shared/json.ts';
import { createTtlCache } from '../../shared/ttl-cache.ts';

/** Most orders that are remembered. */
const maxEntries = 20_000;

interface SeenOrder {
  /** When it was first seen, in milliseconds of the monotonic clock. */
  readonly firstSeenAt: number;
  /** The refs of all products that it has listed. Most orders list one: a set for each would take longer than the list. */
  readonly products: string[];
}

/** The orders that this process has seen. They show whether an order is new, and whether a product has been removed. */
export interface KnownOrders {
  learn(operation: Operation, answer: object): void;
  /** Whether an order has listed a product, so that its list can be read. */
  hasListed(orderId: string, ref: string): boolean;
  /** Notes that all orders of a student have just been read. */
  noteFullRead(email: string): void;
  /**
   * Whether an order appeared in the last ten minutes: a full read of its student's orders since then did not show it.
   * Undefined without such a read.
   */
  hasAppeared(email: string, orderId: string | undefined): boolean | undefined;
}

/** A grant this young may come from the same request; an older one does not. Milliseconds. */
export const recentMs = 10 * 60_000;

/** A hash, because no personal data is stored for comparisons. */
function keyOf(email: string): string {
  return createHash('sha256').update(email.toLowerCase()).digest('base64url');
}

function ordersIn({ id }: Operation, answer: object): unknown {
  if (id === listOrders.id) return 'items' in answer ? answer.items : undefined;
  return id === getStudentDetails.id && 'paid_orders' in answer ? answer.paid_orders : undefined;
}

export function createKnownOrders(now: () => number = () => performance.now()): KnownOrders {
  const orders = new Map<string, SeenOrder>();
  const reads = createTtlCache<number[]>({ ttlMs: recentMs, maxEntries, now });
  const readTimes = (email: string) => (reads.get(keyOf(email)) ?? []).filter((time) => now() - time <= recentMs);

  function learnOrder(order: Record<string, unknown>, firstSeenAt: number): void {
    if (typeof order.id !== 'string') return;
    const known = orders.get(order.id) ?? { firstSeenAt, products: [] };
    for (const kind of productKinds) {
      for (const { ref } of readProductList(order[productLists[kind]], kind)?.products ?? []) {
        if (!known.products.includes(ref)) known.products.push(ref);
      }
    }
    orders.set(order.id, known);
  }

  return {
    learn: (operation, answer) => {
      const shown = ordersIn(operation, answer);
      if (!Array.isArray(shown)) return;
      if (orders.size > maxEntries) orders.clear();
      const at = now();
      for (const order of shown.filter(isObject)) learnOrder(order, at);
    },
    hasListed: (orderId, ref) => orders.get(orderId)?.products.includes(ref) ?? false,
    noteFullRead: (email) => reads.set(keyOf(email), [...readTimes(email), now()]),
    hasAppeared: (email, orderId) => {
      const firstSeenAt = orderId === undefined ? undefined : orders.get(orderId)?.firstSeenAt;
      if (firstSeenAt === undefined) return undefined;
      if (readTimes(email).some((time) => time < firstSeenAt)) return true;
      return now() - firstSeenAt > recentMs ? false : undefined;
    },
  };
}

const maxLessons = 50_000;

/** Where a lesson was last seen. */
export interface IndexedLesson {
  readonly course: number;
  readonly sequence: unknown;
}

function lessonsIn(list: unknown): { id: number; sequence: unknown }[] {
  const lessons = Array.isArray(list) ? list.filter(isObject) : [];
  return lessons.flatMap(({ id, sequence }) => (typeof id === 'number' ? [{ id, sequence }] : []));
}

/**
 * Remembers the course and the sequence number of each lesson in the structures that were read. The API cannot be asked
 * for the course of a lesson, and only the course's structure shows the effect of a write to it.
 */
export type LessonIndex = ReturnType<typeof createLessonIndex>;

export function createLessonIndex() {
  const places = new Map<number, IndexedLesson>();
  return {
    learn: ({ id }: Operation, answer: object): void => {
      if (id !== getCourseStructure.id) return;
      const { course, modules, ungrouped_lessons: loose }: Record<string, unknown> = { ...answer };
      const courseId = isObject(course) && typeof course.id === 'number' ? course.id : undefined;
      if (courseId === undefined) return;
      const grouped = Array.isArray(modules) ? modules.filter(isObject).map(({ lessons }) => lessons) : [];
      if (places.size > maxLessons) places.clear();
      for (const lesson of [...grouped, loose].flatMap(lessonsIn)) {
        places.set(lesson.id, { course: courseId, sequence: lesson.sequence });
      }
    },
    courseOf: (lessonId: number): number | undefined => places.get(lessonId)?.course,
    /** What is known of the lesson that a write changes. */
    lastKnown: (input: object): Readonly<Record<string, unknown>> | undefined => {
      const place = 'lesson_id' in input ? places.get(Number(input.lesson_id)) : undefined;
      return place && { sequence: place.sequence };
    },
    /** After a write the known sequence number is out of date. */
    forget: (input: object): void => {
      const id = 'lesson_id' in input ? Number(input.lesson_id) : undefined;
      const place = id === undefined ? undefined : places.get(id);
      if (id !== undefined && place !== undefined) places.set(id, { course: place.course, sequence: undefined });
    },
  };
}
