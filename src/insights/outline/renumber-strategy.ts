import { placesOf } from './course.ts';
import { isListReached } from './is-target-reached.ts';
import { dueChanges, noneWritten } from './lesson-changes.ts';
import { intoList, type Write } from './lesson-write.ts';
import type { Strategy } from './strategy.ts';

/**
 * Writes every lesson of each list that is not in its target order, with 1, 2, 3 and so on. These are many writes, but they
 * reach the target whether `sequence` is a number, a place from 0 or a place from 1: each lesson goes behind those before
 * it, and no number is below the first place of either count.
 */
export const renumberWrites: Strategy = (course, { lists }, changes = [], written = noneWritten) => {
  const places = placesOf(course);
  const due = dueChanges(course, changes, written);
  return lists.flatMap((list) => {
    const there = list.lesson_ids.filter((id) => places.has(id));
    if (isListReached(course, list)) {
      return there.filter((id) => due.has(id)).map((lesson_id): Write => ({ lesson_id, ...due.get(lesson_id) }));
    }
    return there.map((lesson_id, index): Write => {
      const move = intoList(list.module_id, places.get(lesson_id));
      return { lesson_id, ...move, sequence: index + 1, ...due.get(lesson_id) };
    });
  });
};
