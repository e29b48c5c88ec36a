import { title as titleField } from '../../contract/schemas/input-fields.ts';
import { AcademyError } from '../../shared/errors.ts';
import { type Course, duplicates, type Lesson, type List, type Place, placesOf, refuseProblems } from './course.ts';
import { numberedTarget, outlineOf, type Target } from './target.ts';

export interface LessonChange {
  readonly lesson_id: number;
  readonly title?: string | undefined;
  readonly is_published?: boolean | undefined;
}

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

const withoutBlanks = (text: string) => text.replace(/\s+/g, ' ').trim();

/** The API may remove blanks, at the ends and from a run of several. It adds none. */
function isSameTitle(wanted: string, shown: string): boolean {
  return withoutBlanks(wanted) === withoutBlanks(shown) && shown.length <= wanted.length;
}

/** Leaves out fields that have their value already. A field that the API does not show is due until its lesson is written. */
export function dueChanges(course: Course, changes: readonly LessonChange[], written: Written = new Set()): DueChanges {
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

export type Changed = Pick<Write, 'title' | 'is_published'>;

/** One PATCH of a lesson: only the fields that it changes. */
export interface Write {
  readonly lesson_id: number;
  readonly module_id?: number | null;
  readonly sequence?: number;
  readonly title?: string;
  readonly is_published?: boolean;
}

/** The part of a write that moves a lesson to another list; empty if it is there already. */
export function intoList(moduleId: number | null, target: Place | undefined): Pick<Write, 'module_id'> {
  return target?.module_id === moduleId ? {} : { module_id: moduleId };
}

function turn({ is_published }: Pick<Write, 'is_published'>): number {
  if (is_published === undefined) return 1;
  return is_published ? 2 : 0;
}

/** Writes that hide a lesson go first, writes that publish one last: students see neither move. Otherwise the order stays. */
export function hiddenWhileMoved<T extends Pick<Write, 'is_published'>>(writes: readonly T[]): T[] {
  return writes.toSorted((one, other) => turn(one) - turn(other));
}

/**
 * The number for a new lesson at a position, from 1, of a list whose order must be clear, or why no lesson can be created there.
 * A free number, if there is one between the neighbours. Otherwise that of the next lesson: the API may then shift the lessons
 * behind it, or leave two identical numbers. Undefined behind the last lesson, where the API places a lesson without a number.
 */
export function sequenceAt(lessons: readonly Lesson[], position: number): number | string | undefined {
  const most = lessons.length + 1;
  if (position > most) return `valid positions are 1 to ${most}`;
  if (position === most) return undefined;
  const next = lessons[position - 1]?.sequence;
  if (next === undefined) return 'the API shows no sequence numbers for these lessons';
  const previous = lessons[position - 2]?.sequence ?? -1;
  return next - previous > 1 ? next - 1 : next;
}

/** The place of a lesson in its list; `position` counts from 1. Without an id, that of the only lesson with the title there. */
export function landingIn(
  lists: readonly List[],
  { id, title, module_id: home }: { id?: number | undefined; title: string; module_id: number | null },
) {
  const inModule = lists.find(({ module_id }) => module_id === home)?.lessons ?? [];
  const [namesake, ...others] = inModule.filter((lesson) => lesson.title === title);
  const wanted = id ?? (others.length === 0 ? namesake?.id : undefined);
  for (const { module_id, lessons } of lists) {
    const position = lessons.findIndex((lesson) => lesson.id === wanted) + 1;
    if (wanted !== undefined && position > 0)
      return { lesson_id: wanted, landed: { module_id, position, of: lessons.length } };
  }
  return undefined;
}

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
