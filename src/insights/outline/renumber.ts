import { type Course, placesOf } from './course.ts';
import { isListReached } from './is-reached.ts';
import { dueChanges, type LessonChange, noneWritten, type Written } from './lesson-changes.ts';
import { intoList, type Write } from './lesson-write.ts';
import type { Target } from './target.ts';

/**
 * Writes every lesson of each list that is not right, with 1, 2, 3 and so on. Not few writes, but they end in the
 * target whether these are numbers, places from 0 or places from 1: each lesson comes to stand behind those before it,
 * and no number is below the first place of either count.
 */
export function renumberWrites(
  course: Course,
  { lists }: Target,
  changes: readonly LessonChange[] = [],
  written: Written = noneWritten,
): Write[] {
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
}
