import { createHash } from 'node:crypto';
import { oneLine } from '../../shared/clean-text.ts';
import { asValue } from '../../shared/quote-text.ts';
import { type Course, type Lesson, type List, listName, type Place, placesOf } from './course.ts';

function lessonFacts({ id, title, sequence, is_published, release_day }: Lesson) {
  return [id, title ?? null, sequence ?? null, is_published ?? null, release_day ?? null];
}

/** 16 hexadecimal digits that change with everything that a plan relies on or shows. */
export function versionOf({ lists }: Course): string {
  const facts = lists.map(({ module_id, title, is_published, lessons }) => [
    module_id,
    title,
    lessons.map(lessonFacts),
    ...(is_published === undefined ? [] : [is_published]),
  ]);
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 16);
}

function lessonName({ id, title }: Lesson): string {
  return title === undefined ? `lesson ${id}` : `lesson ${id} (${asValue(oneLine(title, 80))})`;
}

const shown = (value: unknown) => (typeof value === 'string' ? asValue(oneLine(value, 150)) : (value ?? 'not shown'));

function change(name: string, what: string, before: unknown, after: unknown): string[] {
  return before === after ? [] : [`${name}: ${what} was ${shown(before)}, is ${shown(after)}`];
}

function lessonChanges(before: Place, after: Place): string[] {
  const name = lessonName(before.lesson);
  return [
    ...change(name, 'module', before.module_id ?? 'none', after.module_id ?? 'none'),
    ...change(name, 'title', before.lesson.title, after.lesson.title),
    ...change(name, 'sequence', before.lesson.sequence, after.lesson.sequence),
    ...change(name, 'is_published', before.lesson.is_published, after.lesson.is_published),
    ...change(name, 'release_day', before.lesson.release_day, after.lesson.release_day),
  ];
}

/** Whether the entries of both lists are in another order. A new entry alone is no reordering. */
function isReordered(before: readonly unknown[], after: readonly unknown[]): boolean {
  const stayed = after.filter((entry) => before.includes(entry));
  return before.filter((entry) => after.includes(entry)).some((entry, index) => entry !== stayed[index]);
}

const idsOf = ({ lessons }: List) => lessons.map(({ id }) => id);

function listChanges(before: List, after: List): string[] {
  const reordered = isReordered(idsOf(before), idsOf(after)) ? [`${listName(after)}: the order has changed`] : [];
  const name = listName(before);
  return [
    ...change(name, 'title', before.title, after.title),
    ...change(name, 'is_published', before.is_published, after.is_published),
    ...reordered,
  ];
}

/** Compares two maps, key by key. */
function compare<Key, Value>(
  before: ReadonlyMap<Key, Value>,
  after: ReadonlyMap<Key, Value>,
  describe: {
    gone: (value: Value) => string;
    come: (value: Value) => string;
    both: (one: Value, other: Value) => string[];
  },
): string[] {
  const first = [...before].flatMap(([key, value]) => {
    const other = after.get(key);
    return other === undefined ? [describe.gone(value)] : describe.both(value, other);
  });
  return [...first, ...[...after].flatMap(([key, value]) => (before.has(key) ? [] : [describe.come(value)]))];
}

const listsOf = ({ lists }: Course) => new Map(lists.map((list) => [list.module_id, list]));

/** The changes of a course between two readings, a line each; none if `versionOf` is the same. */
export function differences(before: Course, after: Course): string[] {
  const [one, other] = [listsOf(before), listsOf(after)];
  return [
    ...compare(one, other, {
      gone: (list) => `${listName(list)}: is gone`,
      come: (list) => `${listName(list)}: is new`,
      both: listChanges,
    }),
    ...(isReordered([...one.keys()], [...other.keys()]) ? ['the order of the modules has changed'] : []),
    ...compare(placesOf(before), placesOf(after), {
      gone: ({ lesson }) => `${lessonName(lesson)}: is gone`,
      come: ({ lesson, module_id }) => `${lessonName(lesson)}: is new, in ${module_id ?? 'no module'}`,
      both: lessonChanges,
    }),
  ];
}
