import { createHash } from 'node:crypto';
import { oneLine } from '../../shared/clean-text.ts';
import { asValue } from '../../shared/quote-text.ts';
import { type Course, type Lesson, type List, listName, type Place, placesOf } from './course.ts';
import type { Write } from './lesson-changes.ts';
import type { Target } from './target.ts';

/** 16 hexadecimal digits that change with everything that a plan relies on or shows. */
export function versionOf({ lists }: Course): string {
  const facts = lists.map(({ module_id, title, is_published, lessons }) => [
    module_id,
    title,
    lessons.map(({ id, title: own, sequence, is_published: isOn, release_day }) =>
      [id, own, sequence, isOn, release_day].map((value) => value ?? null),
    ),
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
  const fields = ['title', 'sequence', 'is_published', 'release_day'] as const;
  return [
    ...change(name, 'module', before.module_id ?? 'none', after.module_id ?? 'none'),
    ...fields.flatMap((field) => change(name, field, before.lesson[field], after.lesson[field])),
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

/** Each lesson that was sent, whatever its outcome, and whether it is known to be applied. */
export type WriteLog = ReadonlyMap<number, boolean>;

export const appliedIn = (log: WriteLog): Set<number> =>
  new Set([...log].flatMap(([id, isApplied]) => (isApplied ? [id] : [])));

/** The lessons that were not sent, without `sequence`, which writes of other lessons may change. */
function untouched({ lists }: Course, log: WriteLog, names: ReadonlyMap<number | null, string>): Course {
  const bare = ({ sequence: _pushed, ...lesson }: Lesson): Lesson => lesson;
  return {
    lists: lists.map(({ module_id, title, lessons, ...module }) => ({
      ...module,
      module_id,
      title: names.get(module_id) ?? title,
      lessons: lessons.filter(({ id }) => !log.has(id)).map(bare),
    })),
  };
}

/** Sent lessons in neither their target module nor, if the write may have failed, their old one. */
function misplacedLessons(before: Course, after: Course, { lists }: Target, log: WriteLog): string[] {
  const [was, is] = [placesOf(before), placesOf(after)];
  const goals = new Map(lists.flatMap(({ module_id, lesson_ids }) => lesson_ids.map((id) => [id, module_id] as const)));
  return [...log].flatMap(([id, isApplied]) => {
    const here = is.get(id)?.module_id;
    if (here === undefined) return was.has(id) ? [`lesson ${id}: is gone`] : [];
    if (here === goals.get(id) || (!isApplied && here === was.get(id)?.module_id)) return [];
    return [`lesson ${id}: was written into module ${goals.get(id) ?? 'none'}, is in ${here ?? 'none'}`];
  });
}

/** Changes that somebody else must have made: the writes of this call explain them under neither meaning of `sequence`. */
export function concurrentEdits(before: Course, after: Course, target: Target, log: WriteLog): string[] {
  const names = new Map(after.lists.map(({ module_id, title }) => [module_id, title]));
  const others = differences(untouched(before, log, names), untouched(after, log, names));
  return [...others, ...misplacedLessons(before, after, target, log)];
}

/** The fields that a write can change, with their values at a place. */
function fieldsOf({ module_id, lesson: { title, is_published, sequence } }: Place): Record<string, unknown> {
  return { module_id, title, is_published, sequence };
}

/** Fields that a write sent and that still have their old value. */
function ignoredBy(write: Write, before: Place | undefined, after: Place | undefined): string[] {
  if (before === undefined || after === undefined) return [];
  const [was, is] = [fieldsOf(before), fieldsOf(after)];
  const sent: Record<string, unknown> = { ...write };
  return Object.keys(is).filter((name) => {
    const now = is[name];
    return sent[name] !== undefined && now !== undefined && now === was[name] && now !== sent[name];
  });
}

/** Writes that the API answered with success without changing these fields. */
export function ignoredWrites(before: Course, after: Course, writes: readonly Write[]) {
  const [was, is] = [placesOf(before), placesOf(after)];
  return writes.flatMap((write) => {
    const fields = ignoredBy(write, was.get(write.lesson_id), is.get(write.lesson_id));
    return fields.length === 0 ? [] : [{ lesson_id: write.lesson_id, fields }];
  });
}
