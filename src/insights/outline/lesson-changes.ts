import { type Course, doubles, placesOf } from './course.ts';
import { refuse } from './problems.ts';

/** What a lesson gets beside its place. */
export interface LessonChange {
  readonly lesson_id: number;
  readonly title?: string | undefined;
  readonly is_published?: boolean | undefined;
}

/** The fields of a write that are no place. */
export interface Changed {
  readonly title?: string;
  readonly is_published?: boolean;
}

/** By lesson id what is not yet as it shall be. */
export type DueChanges = ReadonlyMap<number, Changed>;

/** Throws `invalid_input` for lessons that are unknown, given twice, or given without a change. */
export function checkChanges(course: Course, changes: readonly LessonChange[]): void {
  const places = placesOf(course);
  const ids = changes.map(({ lesson_id }) => lesson_id);
  const empty = changes.filter(({ title, is_published }) => title === undefined && is_published === undefined);
  refuse('lessons', [
    ['unknown lessons', ids.filter((id) => !places.has(id))],
    ['lessons given twice', doubles(ids)],
    ['neither title nor is_published given', empty.map(({ lesson_id }) => lesson_id)],
  ]);
}

/** Whether a field of which the API does not show the present value counts as still to be written. */
type Unseen = 'due' | 'done';

function isDue<T>(wanted: T | undefined, shown: T | undefined, unseen: Unseen): wanted is T {
  if (wanted === undefined) return false;
  return shown === undefined ? unseen === 'due' : wanted !== shown;
}

/** What is still to be changed: what already is as it shall be costs no write. */
export function dueChanges(course: Course, changes: readonly LessonChange[], unseen: Unseen = 'due'): DueChanges {
  const places = placesOf(course);
  const due = new Map<number, Changed>();
  for (const { lesson_id, title, is_published } of changes) {
    const lesson = places.get(lesson_id)?.lesson;
    if (lesson === undefined) continue;
    const fields = {
      ...(isDue(title, lesson.title, unseen) ? { title } : {}),
      ...(isDue(is_published, lesson.is_published, unseen) ? { is_published } : {}),
    };
    if (Object.keys(fields).length > 0) due.set(lesson_id, fields);
  }
  return due;
}
