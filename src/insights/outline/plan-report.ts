import { oneLine } from '../../shared/clean-text.ts';
import { asValue } from '../../shared/quote-text.ts';
import { type Course, type Lesson, listed, type Place, placesOf } from './course.ts';
import type { LessonChange, Write } from './lesson-changes.ts';
import { inOldOrder, type Target, type TargetList } from './target.ts';
import { notRestorable } from './undo.ts';

/** A course as it was read, the order and changes that are wanted of it, and the writes that make them. */
export interface OutlinePlan {
  readonly course: Course;
  readonly target: Target;
  readonly changes: readonly LessonChange[];
  readonly writes: readonly Write[];
}

/**
 * The lessons of a list that move: those of other lists, and those that change places. As few as possible, and of lessons
 * that change places with each other those that are written.
 */
function movedInto(
  { module_id, lesson_ids }: TargetList,
  places: ReadonlyMap<number, Place>,
  isWritten: (id: number) => boolean,
): Place[] {
  const list = lesson_ids.flatMap((id) => places.get(id) ?? []);
  const kept = inOldOrder(
    lesson_ids,
    (id) => (places.get(id)?.module_id === module_id ? places.get(id)?.index : undefined),
    (id) => (isWritten(id) ? list.length : list.length + 1),
  );
  return list.filter(({ lesson }) => !kept.has(lesson.id));
}

function visibleChanges({ course, target, writes }: OutlinePlan) {
  const places = placesOf(course);
  const byId = new Map(writes.map((write) => [write.lesson_id, write]));
  const closed = course.lists.filter(({ is_published }) => is_published === false).map(({ module_id }) => module_id);
  const moves = target.flatMap((list) =>
    movedInto(list, places, (id) => byId.has(id)).map(({ lesson, module_id }) => ({
      lesson,
      // By their final state: students do not see a lesson move that the same plan hides.
      isPublished: byId.get(lesson.id)?.is_published ?? lesson.is_published,
      isClosed: closed.includes(list.module_id),
      wasClosed: closed.includes(module_id),
    })),
  );
  const moving = (isWanted: (move: (typeof moves)[number]) => boolean) =>
    moves.filter(isWanted).map(({ lesson }) => lesson);
  const becomes = (value: boolean) => writes.filter(({ is_published }) => is_published === value);
  const lessonsOf = (some: readonly Write[]) => some.flatMap(({ lesson_id }) => places.get(lesson_id)?.lesson ?? []);
  const inClosed = new Set(target.filter((one) => closed.includes(one.module_id)).flatMap((one) => one.lesson_ids));
  return {
    moved: moving(() => true),
    // Within unpublished modules nobody sees a move.
    seen: moving(({ isPublished, isClosed, wasClosed }) => isPublished === true && !(isClosed && wasClosed)),
    unknown: moving(({ isPublished }) => isPublished === undefined),
    unpublished: moving(({ isPublished, isClosed, wasClosed }) => isPublished === true && isClosed && !wasClosed),
    visible: lessonsOf(becomes(true).filter(({ lesson_id }) => !inClosed.has(lesson_id))),
    hidden: lessonsOf(becomes(false)),
  };
}

/** `position` counts from 1. `sequence` is missing if the API shows none. */
export interface LessonPosition {
  readonly module_id: number | null;
  readonly position: number;
  readonly sequence?: number;
}

export interface Change {
  readonly lesson_id: number;
  readonly title?: string;
  readonly from: LessonPosition & Pick<Write, 'is_published'>;
  readonly to: LessonPosition & Pick<Write, 'title' | 'is_published'>;
}

const given = (sequence: number | undefined) => (sequence === undefined ? {} : { sequence });

export function changesOf({ course, target, writes }: OutlinePlan): Change[] {
  const places = placesOf(course);
  const final = new Map(
    target.flatMap(({ module_id, lesson_ids }) =>
      lesson_ids.map((id, index) => [id, { module_id, position: index + 1 }] as const),
    ),
  );
  return writes.flatMap(({ lesson_id, module_id: _module, sequence, ...changed }): Change[] => {
    const place = places.get(lesson_id);
    const to = final.get(lesson_id);
    if (place === undefined || to === undefined) return [];
    const { lesson, module_id, index } = place;
    const { title, is_published } = lesson;
    const former = changed.is_published === undefined || is_published === undefined ? {} : { is_published };
    return [
      {
        lesson_id,
        ...(title === undefined ? {} : { title }),
        from: { module_id, position: index + 1, ...given(lesson.sequence), ...former },
        to: { ...to, ...given(sequence ?? lesson.sequence), ...changed },
      },
    ];
  });
}

const maxNamed = 10;

function lessonText({ id, title = '' }: Lesson): string {
  const shown = oneLine(title, 80);
  return shown === '' ? `${id}` : `${id} ${asValue(shown)}`;
}

function releaseWarning(moved: readonly Lesson[]): string {
  const days = moved.flatMap((lesson) =>
    lesson.release_day === undefined ? [] : [`${lessonText(lesson)} (day ${lesson.release_day})`],
  );
  return days.length > 0
    ? `lessons that keep their release day when they move: ${listed(days, maxNamed)}`
    : 'a lesson keeps its release day when it moves; the API does not show which lessons have one';
}

/** A line that counts and names lessons, in the words for one or for several; none without lessons. */
function countLine(lessons: readonly Lesson[], [one, several]: readonly [string, string], after = ''): string[] {
  const { length } = lessons;
  if (length === 0) return [];
  const words = length === 1 ? `1 ${one}` : `${length} ${several}`;
  return [`${words}${after}: ${listed(lessons.map(lessonText), maxNamed)}`];
}

const pushWarning = 'if the API shifts other lessons when it places one, this takes more requests than stated here';

const lostReason =
  'the API does not show the old value, or cannot write the old title (blank, over 255 characters or with invisible characters)';

/** Names every lesson: a person who agrees has to know everything that undo does not restore. */
function undoWarning(lost: readonly Lesson[]): string[] {
  const names = lost.map(lessonText).join(', ');
  return lost.length === 0 ? [] : [`undo cannot fully restore these lessons: ${names}; ${lostReason}`];
}

const atOnce = ', and students see it at once';

/** A lesson that keeps its place among the others of its list does not move, even if it gets another number. */
export function warningsOf(plan: OutlinePlan): string[] {
  const { moved, seen, unknown, unpublished, visible, hidden } = visibleChanges(plan);
  const isRenumbered = plan.writes.some(({ module_id, sequence }) => module_id !== undefined || sequence !== undefined);
  return [
    ...countLine(seen, ['published lesson moves', 'published lessons move'], atOnce),
    ...countLine(unknown, [
      'lesson moves, and the API does not show whether it is published',
      'lessons move, and the API does not show whether they are published',
    ]),
    ...countLine(visible, ['lesson becomes visible', 'lessons become visible']),
    ...countLine(hidden, ['lesson is hidden', 'lessons are hidden']),
    ...countLine(unpublished, [
      'published lesson moves into an unpublished module, which may hide it',
      'published lessons move into an unpublished module, which may hide them',
    ]),
    ...(moved.length > 0 ? [releaseWarning(moved)] : []),
    ...(isRenumbered ? [pushWarning] : []),
    ...undoWarning(notRestorable(plan.course, plan.changes)),
  ];
}
