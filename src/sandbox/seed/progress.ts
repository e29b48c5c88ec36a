import type { OrderRecord } from '../state/orders.ts';
import type { StudentRecord } from '../state/students.ts';
import type { Random } from './random.ts';
import type { SeedData } from './seed-context.ts';

/** The share of a course that a student completed: most start, many stop half-way, some finish. */
function shareDone(random: Random): number {
  const kind = random.next();
  if (kind < 0.25) return 0;
  return kind < 0.85 ? random.next() ** 1.5 : 1;
}

/**
 * Creates progress in the courses of a student's orders. Students at the same lesson share one list: separate lists would
 * take tens of megabytes.
 */
export function createProgressSeeder({ lessons, progress }: SeedData, random: Random) {
  const shared = new Map<number, readonly (readonly number[])[]>();

  function prefixes(courseId: number): readonly (readonly number[])[] {
    const known = shared.get(courseId);
    if (known !== undefined) return known;
    const ids = [...lessons.publishedIds(courseId)];
    const all = Array.from({ length: ids.length + 1 }, (_, length) => ids.slice(0, length));
    shared.set(courseId, all);
    return all;
  }

  /** Returns the number of lessons that the student completed. */
  return (student: StudentRecord, settled: readonly OrderRecord[]): number => {
    // The second student always does, so even a tiny academy has a student at 100 percent.
    const finishesEverything = student.id === 2 || random.chance(0.06);
    let completed = 0;
    for (const courseId of new Set(settled.flatMap((order) => order.courses))) {
      const lists = prefixes(courseId);
      const done = lists[Math.floor((finishesEverything ? 1 : shareDone(random)) * (lists.length - 1))] ?? [];
      if (done.length > 0) progress.set(student.id, courseId, done);
      completed += done.length;
    }
    return completed;
  };
}
