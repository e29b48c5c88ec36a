import { oneLine } from '../../shared/clean-text.ts';
import { asValue } from '../../shared/quote-text.ts';
import { type Lesson, type List, listName, type Place, placesOf } from './course.ts';
import { dueChanges } from './lesson-changes.ts';
import type { OutlinePlan } from './plan-report.ts';

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
function lessonText({ lesson, was }: Pick<LessonDiff, 'lesson' | 'was'>, longest = maxTitle): string {
  const { id, title = '' } = lesson;
  const shown = title === was.title ? oneLine(title, longest) : title;
  return `${id}${stateOf(lesson, was)}${shown === '' ? '' : ` ${asValue(shown)}`}`;
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

function listLines(listChange: ListChange): string[] {
  const { list, after } = listChange;
  const { length } = after;
  if (isSame(listChange)) return [`${listName(list)}: unchanged (${length} ${length === 1 ? 'lesson' : 'lessons'})`];
  const before = list.lessons.map((lesson) => lessonText({ lesson, was: lesson }));
  const arrivals = after.map((arrival) => {
    const origin = arrival.module_id === list.module_id ? '' : ` <- ${originText(arrival)}`;
    return `${lessonText(arrival)}${origin}`;
  });
  return [listName(list), '  before', ...numbered(before), '  after', ...numbered(arrivals)];
}

function listChangesOf({ course, target, changes }: OutlinePlan): ListChange[] {
  const places = placesOf(course);
  const due = dueChanges(course, changes);
  const wanted = new Map(target.map(({ module_id, lesson_ids }) => [module_id, lesson_ids]));
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
    const { module_id, index, was } = arrival;
    const from = module_id === list.module_id ? `${index + 1}` : originText(arrival);
    const sequence = numbers.get(was.id);
    const number = sequence === undefined ? '' : `, sequence ${was.sequence ?? 'not shown'} -> ${sequence}`;
    const former = isRenamed(arrival) ? `, title before: ${asValue(oneLine(was.title ?? '', maxHint))}` : '';
    return `${lessonText(arrival, maxHint)} <- ${from}${number}${former}`;
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

/**
 * The final state of each list that changes. Lessons that stay together share one line; every lesson that is written has a
 * line with all its changes: its old place, its new number, title and publication.
 */
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
