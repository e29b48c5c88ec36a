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

function lessonName({ id, title }: Partial<Lesson> = {}): string {
  return title === undefined ? `lesson ${id}` : `lesson ${id} (${asValue(oneLine(title, 80))})`;
}

const shown = (value: unknown) => (typeof value === 'string' ? asValue(oneLine(value, 150)) : (value ?? 'not shown'));

function change(name: string, what: string, before: unknown, after: unknown): string[] {
  return before === after ? [] : [`${name}: ${what} was ${shown(before)}, is ${shown(after)}`];
}

function lessonChanges(before: Place | undefined, after: Place | undefined): string[] {
  const name = lessonName((before ?? after)?.lesson);
  if (after === undefined) return [`${name}: is gone`];
  if (before === undefined) return [`${name}: is new, in ${after.module_id ?? 'no module'}`];
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

function listChanges(before: List | undefined, after: List | undefined): string[] {
  if (before === undefined) return after === undefined ? [] : [`${listName(after)}: is new`];
  const name = listName(before);
  if (after === undefined) return [`${name}: is gone`];
  return [
    ...change(name, 'title', before.title, after.title),
    ...change(name, 'is_published', before.is_published, after.is_published),
    ...(isReordered(idsOf(before), idsOf(after)) ? [`${listName(after)}: the order has changed`] : []),
  ];
}

function bothOf<Key, Value>(before: ReadonlyMap<Key, Value>, after: ReadonlyMap<Key, Value>) {
  const keys = new Set([...before.keys(), ...after.keys()]);
  return [...keys].map((key) => [before.get(key), after.get(key)] as const);
}

const listsOf = ({ lists }: Course) => new Map(lists.map((list) => [list.module_id, list]));

/** The changes of a course between two readings, a line each; none if `versionOf` is the same. */
export function differences(before: Course, after: Course): string[] {
  const [one, other] = [listsOf(before), listsOf(after)];
  return [
    ...bothOf(one, other).flatMap((lists) => listChanges(...lists)),
    ...(isReordered([...one.keys()], [...other.keys()]) ? ['the order of the modules has changed'] : []),
    ...bothOf(placesOf(before), placesOf(after)).flatMap((places) => lessonChanges(...places)),
  ];
}

/** Each lesson that was sent, failed or not, and whether it is known to be applied. */
type WriteLog = ReadonlyMap<number, boolean>;

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
function misplacedLessons(before: Course, after: Course, target: Target, log: WriteLog): string[] {
  const [was, is] = [placesOf(before), placesOf(after)];
  const goals = new Map(
    target.flatMap(({ module_id, lesson_ids }) => lesson_ids.map((id) => [id, module_id] as const)),
  );
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

const writable = ['module_id', 'title', 'is_published', 'sequence'] as const;

function valuesIn(course: Course) {
  const places = placesOf(course);
  return (id: number) => ({ ...places.get(id)?.lesson, module_id: places.get(id)?.module_id });
}

/** Writes that the API answered with success without changing these fields. */
export function ignoredWrites(before: Course, after: Course, writes: readonly Write[]) {
  const was = valuesIn(before);
  const is = valuesIn(after);
  return writes.flatMap((write) => {
    const { lesson_id } = write;
    const [old, now] = [was(lesson_id), is(lesson_id)];
    const isOld = (name: (typeof writable)[number]) => now[name] !== undefined && now[name] === old[name];
    const fields = writable.filter((name) => write[name] !== undefined && isOld(name) && now[name] !== write[name]);
    return fields.length === 0 ? [] : [{ lesson_id, fields }];
  });
}
