import type { Course } from './course.ts';
import { dueChanges, type LessonChange, noneWritten, type Written } from './lesson-changes.ts';
import type { TargetList } from './moves.ts';
import { currentTarget, type Target } from './target.ts';

/** Whether a list has its target order. */
export function isListReached(course: Course, { module_id, lesson_ids }: TargetList): boolean {
  const shown = currentTarget(course).lists.find((list) => list.module_id === module_id)?.lesson_ids;
  return shown?.length === lesson_ids.length && lesson_ids.every((id, index) => id === shown[index]);
}

/**
 * Whether a course, as read, matches its target. A title or publication that the API does not show counts as applied once
 * its lesson is written, since nothing can disprove it.
 */
export function isTargetReached(
  course: Course,
  { lists }: Target,
  changes: readonly LessonChange[] = [],
  written: Written = noneWritten,
): boolean {
  return (
    course.lists.length === lists.length &&
    lists.every((list) => isListReached(course, list)) &&
    dueChanges(course, changes, written).size === 0
  );
}
