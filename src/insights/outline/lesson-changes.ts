import { type Course, placesOf } from './course.ts';
import { duplicates } from './duplicates.ts';
import { refuseProblems } from './id-problems.ts';

/** A requested change of a lesson, besides its place. */
export interface LessonChange {
  readonly lesson_id: number;
  readonly title?: string | undefined;
  readonly is_published?: boolean | undefined;
}

/** The fields of a write, besides the place. */
export interface Changed {
  readonly title?: string;
  readonly is_published?: boolean;
}

/** Changes that are not applied yet, by lesson id. */
export type DueChanges = ReadonlyMap<number, Changed>;

/** Throws `invalid_input` for lessons that are unknown, given twice, or given without a change. */
export function checkChanges(course: Course, changes: readonly LessonChange[]): void {
  const places = placesOf(course);
  const ids = changes.map(({ lesson_id }) => lesson_id);
  const empty = changes.filter(({ title, is_published }) => title === undefined && is_published === undefined);
  refuseProblems('lessons', [
    ['unknown lessons', ids.filter((id) => !places.has(id))],
    ['lessons given twice', duplicates(ids)],
    ['neither title nor is_published given', empty.map(({ lesson_id }) => lesson_id)],
  ]);
}

/** Lessons that were written: a field that the API does not show counts as sent. */
export type Written = ReadonlySet<number>;

export const noneWritten: Written = new Set();

const withoutBlanks = (text: string) => text.replace(/\s+/g, ' ').trim();

/** The API may remove blanks, at the ends and from a run of several. It adds none. */
function isSameTitle(wanted: string, shown: string): boolean {
  return withoutBlanks(wanted) === withoutBlanks(shown) && shown.length <= wanted.length;
}

/**
 * The changes that are still to be written: a field that already has its value needs no write. A field that the API does
 * not show is due until its lesson is written.
 */
export function dueChanges(
  course: Course,
  changes: readonly LessonChange[],
  written: Written = noneWritten,
): DueChanges {
  const places = placesOf(course);
  const due = new Map<number, Changed>();
  for (const { lesson_id, title, is_published } of changes) {
    const lesson = places.get(lesson_id)?.lesson;
    if (lesson === undefined) continue;
    const isUnseenDue = !written.has(lesson_id);
    const isTitleDue = lesson.title === undefined ? isUnseenDue : !isSameTitle(title ?? '', lesson.title);
    const isShownDue = lesson.is_published === undefined ? isUnseenDue : is_published !== lesson.is_published;
    const fields = {
      ...(title !== undefined && isTitleDue ? { title } : {}),
      ...(is_published !== undefined && isShownDue ? { is_published } : {}),
    };
    if (Object.keys(fields).length > 0) due.set(lesson_id, fields);
  }
  return due;
}
