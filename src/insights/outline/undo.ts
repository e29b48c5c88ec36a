import { title as titleField } from '../../contract/schemas/input-fields.ts';
import { AcademyError } from '../../shared/errors.ts';
import { type Course, type Lesson, placesOf } from './course.ts';
import { type Changed, dueChanges, type LessonChange } from './lesson-changes.ts';
import { numberedTarget, outlineOf, type Target } from './target.ts';

const writable = titleField('');

/** The old values that can be restored: those that the API has shown and, of titles, those that may be written. */
function former(changed: Changed, { title, is_published }: Lesson): Changed {
  const isTitle = changed.title !== undefined && title !== undefined && writable.safeParse(title).success;
  const isShown = changed.is_published !== undefined && is_published !== undefined;
  return { ...(isTitle && { title }), ...(isShown && { is_published }) };
}

function formerOf(before: Course, changes: readonly LessonChange[]) {
  const places = placesOf(before);
  return [...dueChanges(before, changes)].map(([lesson_id, changed]) => {
    const lesson = places.get(lesson_id)?.lesson ?? { id: lesson_id };
    return { lesson, changed, was: former(changed, lesson) };
  });
}

/** The input for `planWrites` that restores a course as it was read, with its sequence numbers. */
export function undoOf(before: Course, changes: readonly LessonChange[] = []) {
  const lessons = formerOf(before, changes).map(({ lesson, was }): LessonChange => ({ lesson_id: lesson.id, ...was }));
  return {
    outline: outlineOf(numberedTarget(before)),
    lessons: lessons.filter((lesson) => Object.keys(lesson).length > 1),
  };
}

/** Lessons that `undoOf` cannot fully restore. */
export function notRestorable(before: Course, changes: readonly LessonChange[]): Lesson[] {
  return formerOf(before, changes)
    .filter(({ changed, was }) => Object.keys(was).length < Object.keys(changed).length)
    .map(({ lesson }) => lesson);
}

/** Characters of target and undo together, as JSON: an answer has both whole, and needs room for its other fields. */
const maxTogether = 30_000;

/** How many of these sizes always fit, whichever are chosen. */
function countWithin(sizes: readonly number[], room: number): number {
  let left = room;
  const largestFirst = sizes.toSorted((one, other) => other - one);
  const first = largestFirst.findIndex((size) => {
    left -= size;
    return left < 0;
  });
  return first < 0 ? sizes.length : first;
}

const sizeOf = (value: unknown) => JSON.stringify(value).length + 1;

/** Throws `invalid_input` if the undo does not fit into an answer: a change that cannot be undone is not begun. */
export function checkUndo(target: Target, { outline, lessons }: ReturnType<typeof undoOf>): void {
  const room = maxTogether - sizeOf(outlineOf(target)) - sizeOf(outline);
  const most = countWithin(lessons.map(sizeOf), room);
  if (room >= 0 && most >= lessons.length) return;
  const reason = most === 0 ? 'this course has too many lessons' : 'the old titles are too long';
  throw new AcademyError('invalid_input', `${reason}: the undo would not fit into one answer`, {
    hint:
      most === 0
        ? 'Move single lessons with update_lesson.'
        : `Change title and publication of at most ${most} lessons at once.`,
  });
}
