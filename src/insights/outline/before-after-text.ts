import { oneLine } from '../../shared/clean-text.ts';
import { asValue } from '../../shared/quote-text.ts';
import { type Course, type Lesson, type List, listName, type Place, placesOf } from './course.ts';
import { dueChanges, type LessonChange, type Write } from './lesson-changes.ts';
import type { Target } from './target.ts';

/** The length of an unchanged title: the id identifies its lesson. */
const maxTitle = 130;

/** A lesson with its old place; `was` is its old state, `lesson` its new one. */
interface LessonDiff extends Place {
  readonly was: Lesson;
}

interface ListChange {
  readonly list: List;
  readonly after: readonly LessonDiff[];
}

const isRenamed = ({ lesson, was }: LessonDiff) => lesson.title !== was.title;

/** Comes before the title, so that a long title cannot hide it. */
function stateOf({ is_published, release_day }: Lesson, was: Lesson | undefined = undefined): string {
  const isNew = was !== undefined && was.is_published !== is_published;
  const words = [
    ...(isNew && is_published === true ? ['now published'] : []),
    ...(is_published === false ? [isNew ? 'now unpublished' : 'unpublished'] : []),
    ...(release_day === undefined ? [] : [`release day ${release_day}`]),
  ];
  return words.length === 0 ? '' : ` (${words.join(', ')})`;
}

function changeText({ id }: Lesson, state: string, title: string): string {
  return `${id}${state}${title === '' ? '' : ` ${asValue(title)}`}`;
}

function lessonText(lesson: Lesson): string {
  return changeText(lesson, stateOf(lesson), oneLine(lesson.title ?? '', maxTitle));
}

/** A new title is whole, with every blank; an unchanged one has at most `longest` characters. */
function lessonDiffText(arrival: LessonDiff, longest = maxTitle): string {
  const { lesson, was } = arrival;
  const { title = '' } = lesson;
  return changeText(lesson, stateOf(lesson, was), isRenamed(arrival) ? title : oneLine(title, longest));
}

/** The old list and place of a lesson that comes from another list. */
function originText({ module_id, index }: Place): string {
  return `${module_id === null ? 'no module' : `module ${module_id}`}, ${index + 1}`;
}

const numbered = (lines: readonly string[]) =>
  lines.length === 0 ? ['    no lessons'] : lines.map((line, index) => `    ${index + 1}. ${line}`);

function isSame({ list, after }: ListChange): boolean {
  return after.length === list.lessons.length && after.every(({ lesson }, index) => lesson === list.lessons[index]);
}

const lessonCount = (count: number) => `${count} ${count === 1 ? 'lesson' : 'lessons'}`;

function listLines(listChange: ListChange): string[] {
  const { list, after } = listChange;
  if (isSame(listChange)) return [`${listName(list)}: unchanged (${lessonCount(after.length)})`];
  const before = list.lessons.map(lessonText);
  const arrivals = after.map((arrival) => {
    const origin = arrival.module_id === list.module_id ? '' : ` <- ${originText(arrival)}`;
    return `${lessonDiffText(arrival)}${origin}`;
  });
  return [listName(list), '  before', ...numbered(before), '  after', ...numbered(arrivals)];
}

function listChangesOf(course: Course, target: Target, changes: readonly LessonChange[]): ListChange[] {
  const places = placesOf(course);
  const due = dueChanges(course, changes);
  const wanted = new Map(target.lists.map(({ module_id, lesson_ids }) => [module_id, lesson_ids]));
  const arrivalOf = (id: number): LessonDiff[] => {
    const place = places.get(id);
    if (place === undefined) return [];
    const changed = due.get(id);
    const lesson = changed === undefined ? place.lesson : { ...place.lesson, ...changed };
    return [{ ...place, was: place.lesson, lesson }];
  };
  return course.lists.map((list) => ({ list, after: (wanted.get(list.module_id) ?? []).flatMap(arrivalOf) }));
}

/** Lessons before and after of each list that changes, and one line for each other list. */
export function treeLines(course: Course, target: Target, changes: readonly LessonChange[] = []): string[] {
  return listChangesOf(course, target, changes).flatMap(listLines);
}

/** The length of an unchanged title: it only helps a reader who knows the course, since the id identifies the lesson. */
const maxHint = 40;

type Writes = ReadonlyMap<number, Write>;

/** Whether a lesson is not written and stays in its list. */
function stays({ lesson, module_id }: LessonDiff, { list }: ListChange, writes: Writes): boolean {
  return module_id === list.module_id && !writes.has(lesson.id);
}

interface Run {
  readonly arrivals: readonly LessonDiff[];
  /** Index of the first one in the final list, from 0. */
  readonly at: number;
  readonly stays: boolean;
}

/** Lessons that stay, and are neighbours before and after, form one run; every other lesson is a run of its own. */
function runsOf(listChange: ListChange, writes: Writes): Run[] {
  const runs: Run[] = [];
  for (const [at, arrival] of listChange.after.entries()) {
    const last = runs.at(-1);
    const isStaying = stays(arrival, listChange, writes);
    const follows = last?.stays === true && isStaying && last.arrivals.at(-1)?.index === arrival.index - 1;
    if (last !== undefined && follows) runs[runs.length - 1] = { ...last, arrivals: [...last.arrivals, arrival] };
    else runs.push({ arrivals: [arrival], at, stays: isStaying });
  }
  return runs;
}

function numberText({ was }: LessonDiff, writes: Writes): string {
  const sequence = writes.get(was.id)?.sequence;
  return sequence === undefined ? '' : `, sequence ${was.sequence ?? 'not shown'} -> ${sequence}`;
}

function lineOf(arrival: LessonDiff, at: number, { list }: ListChange, writes: Writes): string {
  const { module_id, index, was } = arrival;
  const from = module_id === list.module_id ? `${index + 1}` : originText(arrival);
  const former = isRenamed(arrival) ? `, title before: ${asValue(oneLine(was.title ?? '', maxHint))}` : '';
  return `    ${at + 1}. ${lessonDiffText(arrival, maxHint)} <- ${from}${numberText(arrival, writes)}${former}`;
}

function runLines({ arrivals, at, stays: isStaying }: Run, listChange: ListChange, writes: Writes): string[] {
  const [first, ...others] = arrivals;
  if (first === undefined) return [];
  if (!isStaying || others.length === 0) return [lineOf(first, at, listChange, writes)];
  const count = arrivals.length;
  return [`    ${at + 1}-${at + count}. as ${first.index + 1}-${first.index + count} before`];
}

function compactList(listChange: ListChange, writes: Writes): string[] {
  const { list, after } = listChange;
  const runs = runsOf(listChange, writes);
  const lines = runs.flatMap((run) => runLines(run, listChange, writes));
  return [`${listName(list)}: ${list.lessons.length} lessons before, ${after.length} after`, ...lines];
}

/**
 * The final state of each list that changes. Lessons that stay together share one line; every lesson that is written has a
 * line with all its changes: its old place, its new number, title and publication.
 */
export function compactLines(
  course: Course,
  target: Target,
  changes: readonly LessonChange[],
  writes: readonly Write[],
): string[] {
  const listChanges = listChangesOf(course, target, changes);
  const byId = new Map(writes.map((write) => [write.lesson_id, write]));
  const changing = listChanges.filter((listChange) => !isSame(listChange));
  const others = listChanges.length - changing.length;
  return [
    ...changing.flatMap((listChange) => compactList(listChange, byId)),
    ...(others > 0 ? [`… ${others} other parts of the course: unchanged`] : []),
  ];
}
