import type { LessonRecord } from '../state/lessons.ts';

/** A lesson as a course structure lists it. */
export function lessonSummary({ id, title, sequence, is_published, lesson_type }: LessonRecord) {
  return { id, title, sequence, is_published, lesson_type };
}
