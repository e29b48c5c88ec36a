import { oneLine } from '../../shared/clean-text.ts';
import { asValue } from '../../shared/quote-text.ts';
import { type Course, type Lesson, type List, listed, listName, type Place, placesOf } from './course.ts';
import { dueChanges, type LessonChange, notRestorable, type Write } from './lesson-changes.ts';
import { inOldOrder, type Target } from './target.ts';

/** A course as it was read, the order and changes that are wanted of it, and the writes that make them. */
interface OutlinePlan {
  readonly course: Course;
  readonly target: Target;
  readonly changes: readonly LessonChange[];
  readonly writes: readonly Write[];
}

/** A lesson in its final place, with its old place; `was` is its old state, `lesson` its new one. */
interface LessonDiff extends Place {
  readonly was: Lesson;
}

interface ListChange {
  readonly list: List;
  readonly after: readonly LessonDiff[];
}

function listChangesOf({ course, target, changes }: OutlinePlan): ListChange[] {
  const places = placesOf(course);
  const due = dueChanges(course, changes);
  const wanted = new Map(target.map(({ module_id, lesson_ids }) => [module_id, lesson_ids]));
  const diffOf = (id: number): LessonDiff[] => {
    const entry = places.get(id);
    if (entry === undefined) return [];
    const changed = due.get(id);
    const lesson = changed === undefined ? entry.lesson : { ...entry.lesson, ...changed };
    return [{ ...entry, was: entry.lesson, lesson }];
  };
  return course.lists.map((list) => ({ list, after: (wanted.get(list.module_id) ?? []).flatMap(diffOf) }));
}

/** The lessons of a list that move: as few as possible, and of lessons that change places with each other those written. */
function movedInto({ list: { module_id }, after }: ListChange, { course, writes }: OutlinePlan): LessonDiff[] {
  const written = new Set(writes.map(({ lesson_id }) => lesson_id));
  const lesson_ids = after.map(({ was }) => was.id);
  const worth = (id: number) => (written.has(id) ? after.length : after.length + 1);
  const kept = inOldOrder({ module_id, lesson_ids }, placesOf(course), worth);
  return after.filter(({ was }) => !kept.has(was.id));
}

function visibleChanges(plan: OutlinePlan) {
  const unpublished = plan.course.lists.filter(({ is_published }) => is_published === false);
  const closed = new Set(unpublished.map(({ module_id }) => module_id));
  const diffs = listChangesOf(plan).flatMap((listChange) => {
    const moved = movedInto(listChange, plan);
    return listChange.after.map((diff) => ({
      ...diff,
      isMoved: moved.includes(diff),
      isClosed: listChange.list.is_published === false,
      wasClosed: closed.has(diff.module_id),
      // By their final state: students do not see a lesson move that the same plan hides.
      isShown: diff.lesson.is_published,
      isTurned: diff.lesson.is_published !== diff.was.is_published,
    }));
  });
  type Diff = (typeof diffs)[number];
  const those = (isWanted: (diff: Diff) => boolean) => diffs.filter(isWanted).map(({ was }) => was);
  const moving = (isWanted: (diff: Diff) => boolean) => those((diff) => diff.isMoved && isWanted(diff));
  return {
    moved: moving(() => true),
    // Students see no move within unpublished modules.
    seen: moving(({ isShown, isClosed, wasClosed }) => isShown === true && !(isClosed && wasClosed)),
    unknown: moving(({ isShown }) => isShown === undefined),
    unpublished: moving(({ isShown, isClosed, wasClosed }) => isShown === true && isClosed && !wasClosed),
    visible: those(({ isTurned, isShown, isClosed }) => isTurned && isShown === true && !isClosed),
    hidden: those(({ isTurned, isShown }) => isTurned && isShown === false),
  };
}

/** The old and the new place of each lesson that is written, and what changes there. `position` counts from 1. */
export function changesOf(plan: OutlinePlan) {
  const diffs = listChangesOf(plan).flatMap(({ list: { module_id }, after }) =>
    after.map((diff, index) => [diff.was.id, { ...diff, to: { module_id, position: index + 1 } }] as const),
  );
  const byId = new Map(diffs);
  return plan.writes.flatMap(({ lesson_id, module_id: _module, sequence, ...changed }) => {
    const diff = byId.get(lesson_id);
    if (diff === undefined) return [];
    const { was, module_id, index, to } = diff;
    const is_published = changed.is_published === undefined ? undefined : was.is_published;
    return [
      {
        lesson_id,
        title: was.title,
        from: { module_id, position: index + 1, sequence: was.sequence, is_published },
        to: { ...to, sequence: sequence ?? was.sequence, ...changed },
      },
    ];
  });
}

export type Change = ReturnType<typeof changesOf>[number];

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

/** The length of an unchanged title: the id identifies its lesson. */
const maxTitle = 130;

/** Comes before the title, so that a long title cannot hide it. */
function stateOf({ is_published, release_day }: Lesson, was: Lesson): string {
  const isNew = was.is_published !== is_published;
  const words = [
    ...(isNew && is_published === true ? ['now published'] : []),
    ...(is_published === false ? [isNew ? 'now unpublished' : 'unpublished'] : []),
    ...(release_day === undefined ? [] : [`release day ${release_day}`]),
  ];
  return words.length === 0 ? '' : ` (${words.join(', ')})`;
}

/** A new title is whole, with every blank; an unchanged one has at most `longest` characters. */
function lessonLine({ lesson, was }: Pick<LessonDiff, 'lesson' | 'was'>, longest = maxTitle): string {
  const { id, title = '' } = lesson;
  const shown = title === was.title ? oneLine(title, longest) : title;
  return `${id}${stateOf(lesson, was)}${shown === '' ? '' : ` ${asValue(shown)}`}`;
}

function originText({ module_id, index }: Place): string {
  return `${module_id === null ? 'no module' : `module ${module_id}`}, ${index + 1}`;
}

const numbered = (lines: readonly string[]) =>
  lines.length === 0 ? ['    no lessons'] : lines.map((line, index) => `    ${index + 1}. ${line}`);

function isSame({ list, after }: ListChange): boolean {
  return after.length === list.lessons.length && after.every(({ lesson }, index) => lesson === list.lessons[index]);
}

function listLines(listChange: ListChange): string[] {
  const { list, after } = listChange;
  const { length } = after;
  if (isSame(listChange)) return [`${listName(list)}: unchanged (${length} ${length === 1 ? 'lesson' : 'lessons'})`];
  const before = list.lessons.map((lesson) => lessonLine({ lesson, was: lesson }));
  const arrivals = after.map((arrival) => {
    const origin = arrival.module_id === list.module_id ? '' : ` <- ${originText(arrival)}`;
    return `${lessonLine(arrival)}${origin}`;
  });
  return [listName(list), '  before', ...numbered(before), '  after', ...numbered(arrivals)];
}

/** Lessons before and after of each list that changes, and one line for each other list. */
export function treeLines(plan: OutlinePlan): string[] {
  return listChangesOf(plan).flatMap(listLines);
}

/** The length of an unchanged title: it only helps a reader who knows the course, since the id identifies the lesson. */
const maxHint = 40;

/** Lessons that are not written and are neighbours before and after share one line; every other lesson has its own. */
function compactList({ list, after }: ListChange, numbers: ReadonlyMap<number, number | undefined>): string[] {
  const stays = ({ lesson, module_id }: LessonDiff) => module_id === list.module_id && !numbers.has(lesson.id);
  const runs: LessonDiff[][] = [];
  for (const arrival of after) {
    const run = runs.at(-1) ?? [];
    const last = run.at(-1);
    if (last !== undefined && stays(last) && stays(arrival) && last.index === arrival.index - 1) run.push(arrival);
    else runs.push([arrival]);
  }
  const lineOf = (arrival: LessonDiff) => {
    const { module_id, index, was, lesson } = arrival;
    const from = module_id === list.module_id ? `${index + 1}` : originText(arrival);
    const sequence = numbers.get(was.id);
    const number = sequence === undefined ? '' : `, sequence ${was.sequence ?? 'not shown'} -> ${sequence}`;
    const former = lesson.title !== was.title ? `, title before: ${asValue(oneLine(was.title ?? '', maxHint))}` : '';
    return `${lessonLine(arrival, maxHint)} <- ${from}${number}${former}`;
  };
  const lines = runs.flatMap(([first, ...others]) => {
    if (first === undefined) return [];
    const at = after.indexOf(first) + 1;
    const { length } = others;
    if (length === 0) return [`    ${at}. ${lineOf(first)}`];
    return [`    ${at}-${at + length}. as ${first.index + 1}-${first.index + 1 + length} before`];
  });
  return [`${listName(list)}: ${list.lessons.length} lessons before, ${after.length} after`, ...lines];
}

/** The final state of each list that changes: every lesson that is written has a line with all its changes. */
export function compactLines(plan: OutlinePlan): string[] {
  const listChanges = listChangesOf(plan);
  const numbers = new Map(plan.writes.map(({ lesson_id, sequence }) => [lesson_id, sequence]));
  const changing = listChanges.filter((listChange) => !isSame(listChange));
  const others = listChanges.length - changing.length;
  return [
    ...changing.flatMap((listChange) => compactList(listChange, numbers)),
    ...(others > 0 ? [`… ${others} other parts of the course: unchanged`] : []),
  ];
}
