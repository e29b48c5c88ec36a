import { oneLine } from '../../clean.ts';
import { type Course, type Lesson, type List, listName, type Place, placesOf } from './course.ts';
import { dueChanges, type LessonChange } from './lesson-changes.ts';
import type { Target } from './target.ts';

/** What stands around a title leaves the line below 200 characters. */
const longestTitle = 150;

function lessonText({ id, title = '', is_published }: Lesson): string {
  const hidden = is_published === false ? ' (unpublished)' : '';
  return oneLine(`${id} ${title}${hidden}`, longestTitle);
}

/** How many lessons at the ends of a list are the same before and after, and how many of the others are shown at most. */
interface Window {
  readonly head: number;
  readonly tail: number;
  readonly most: number;
}

const left = (count: number, what: string) => (count > 0 ? [`    … ${count} ${what}`] : []);

function numbered(lines: readonly string[], { head, tail, most }: Window): string[] {
  if (lines.length === 0) return ['    no lessons'];
  const middle = lines.map((line, index) => `    ${index + 1}. ${line}`).slice(head, lines.length - tail);
  return [
    ...left(head, 'the same before and after'),
    ...middle.slice(0, most),
    ...left(middle.length - most, 'more'),
    ...left(tail, 'the same before and after'),
  ];
}

/** All is shown where there is no limit. */
function windowOf(before: readonly Lesson[], after: readonly Lesson[], most: number): Window {
  if (most === Number.POSITIVE_INFINITY) return { head: 0, tail: 0, most };
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  return { head, tail, most };
}

/** A lesson in its new list; one from another list tells where it stood. */
function arrival({ lesson, module_id, index }: Place, list: List): string {
  if (module_id === list.module_id) return lessonText(lesson);
  return `${lessonText(lesson)} <- ${module_id === null ? 'no module' : `module ${module_id}`}, ${index + 1}`;
}

/** A list of the course, and what it becomes. */
interface Fate {
  readonly list: List;
  readonly after: readonly Place[];
}

function isSame({ list, after }: Fate): boolean {
  return after.length === list.lessons.length && after.every(({ lesson }, index) => lesson === list.lessons[index]);
}

const nameOf = (list: List) => oneLine(listName(list), longestTitle);

function listLines(fate: Fate, most: number): string[] {
  const { list, after } = fate;
  if (isSame(fate))
    return [`${nameOf(list)}: unchanged (${after.length} ${after.length === 1 ? 'lesson' : 'lessons'})`];
  const lessons = after.map(({ lesson }) => lesson);
  const window = windowOf(list.lessons, lessons, most);
  const arrivals = after.map((place) => arrival(place, list));
  const before = numbered(list.lessons.map(lessonText), window);
  return [nameOf(list), '  before', ...before, '  after', ...numbered(arrivals, window)];
}

function fatesOf(course: Course, target: Target, changes: readonly LessonChange[]): Fate[] {
  const places = placesOf(course);
  for (const [id, changed] of dueChanges(course, changes)) {
    const place = places.get(id);
    if (place !== undefined) places.set(id, { ...place, lesson: { ...place.lesson, ...changed } });
  }
  const wanted = new Map(target.lists.map(({ module_id, lesson_ids }) => [module_id, lesson_ids]));
  const afterOf = ({ module_id }: List) => (wanted.get(module_id) ?? []).flatMap((id) => places.get(id) ?? []);
  return course.lists.map((list) => ({ list, after: afterOf(list) }));
}

const sizeOf = (lines: readonly string[]) => JSON.stringify(lines).length;

function firstLines(lines: readonly string[], longest: number): string[] {
  let shown = lines.length;
  // The line that says so has to stand there, too.
  while (shown > 0 && sizeOf(lines.slice(0, shown)) > longest - 100) shown = Math.floor(shown * 0.9);
  return [...lines.slice(0, shown), `… ${lines.length - shown} more lines are not shown`];
}

/** The lists that change alone, and of each no more than `most` lessons. */
function briefly(fates: readonly Fate[], most: number): string[] {
  const changing = fates.filter((fate) => !isSame(fate));
  const others = fates.length - changing.length;
  return [
    ...changing.flatMap((fate) => listLines(fate, most)),
    ...(others > 0 ? [`… ${others} other parts of the course: unchanged`] : []),
  ];
}

/**
 * For each list that changes its lessons before and after, for each other one a line. Where that is longer than `longest`
 * characters, as JSON, only what differs, and of that as many lessons of each list as have room.
 */
export function treeLines(
  course: Course,
  target: Target,
  changes: readonly LessonChange[] = [],
  longest = Number.POSITIVE_INFINITY,
): string[] {
  const fates = fatesOf(course, target, changes);
  const whole = fates.flatMap((fate) => listLines(fate, Number.POSITIVE_INFINITY));
  if (sizeOf(whole) <= longest) return whole;
  for (let most = 256; most >= 4; most /= 2) {
    const brief = briefly(fates, most);
    if (sizeOf(brief) <= longest) return brief;
  }
  return firstLines(briefly(fates, 4), longest);
}
