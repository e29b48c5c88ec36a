import type { Json } from '../../src/shared/json.ts';
import { recordsIn, type StructureRow } from './structure-rows.ts';

// A course repeats the same values for each lesson. The answer states them once.

/** The fields whose usual value is stated once, and those of them that a module has too. */
const repeated = ['is_published', 'lesson_type'] as const;
const ofModules: readonly string[] = ['is_published'];

/** Stating a value once costs as much as repeating it in this number of lessons. */
const minLessons = 3;

export const defaultsKey = 'defaults';
/** The default of `sequence`. */
const counting = 'previous + 1';

function mostFrequent(values: readonly unknown[]): unknown {
  const counts = new Map<unknown, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort(([, one], [, other]) => other - one)[0]?.[0];
}

/** The usual value of each field that every record has: elsewhere a missing value would look like the usual one. */
export function usualValues(rows: readonly StructureRow[]): Json {
  const lessons = recordsIn(rows.map(({ lesson }) => lesson));
  const modules = recordsIn(rows.map(({ module }) => module));
  if (lessons.length < minLessons) return {};
  const isEverywhere = (name: string) =>
    [...lessons, ...(ofModules.includes(name) ? modules : [])].every((record) => record[name] !== undefined);
  const names = repeated.filter(isEverywhere);
  return Object.fromEntries(names.map((name) => [name, mostFrequent(lessons.map((lesson) => lesson[name]))]));
}

function withoutUsual(record: Json, usual: Json, names: readonly string[]): Json {
  const isUsual = ([name, value]: [string, unknown]) =>
    names.includes(name) && Object.hasOwn(usual, name) && usual[name] === value;
  return Object.fromEntries(Object.entries(record).filter((entry) => !isUsual(entry)));
}

/** Leaves out each number that is one more than that of the record before. */
function withoutCounting(records: readonly Json[]): Json[] {
  return records.map((record, index) => {
    const { sequence, ...others } = record;
    const before = records[index - 1]?.sequence;
    return typeof before === 'number' && sequence === before + 1 ? others : record;
  });
}

function isNumbered(rows: readonly StructureRow[]): boolean {
  const records = rows.flatMap((row) => recordsIn([row.module, row.lesson]));
  return records.every(({ sequence }) => Number.isInteger(sequence));
}

/** A part of a structure without what `usual` and counting give. `all`: the rows of the whole course. */
export function withoutRepeats({ modules, ungrouped_lessons }: Json, usual: Json, all: readonly StructureRow[]): Json {
  const isCounted = isNumbered(all);
  const short = (list: unknown, names: readonly string[]) => {
    const records = recordsIn(list);
    return (isCounted ? withoutCounting(records) : records).map((record) => withoutUsual(record, usual, names));
  };
  const shortModules = short(modules, ofModules).map(
    ({ lessons, ...module }): Json => ({
      ...module,
      ...(lessons === undefined ? {} : { lessons: short(lessons, repeated) }),
    }),
  );
  const ungrouped = short(ungrouped_lessons, repeated);
  const lists = [shortModules, ...shortModules.map(({ lessons }) => recordsIn(lessons)), ungrouped];
  const hasGaps = lists.flat().some(({ sequence }) => sequence === undefined);
  const defaults = { ...usual, ...(isCounted && hasGaps ? { sequence: counting } : {}) };
  return {
    ...(Object.keys(defaults).length > 0 ? { [defaultsKey]: defaults } : {}),
    ...(shortModules.length > 0 ? { modules: shortModules } : {}),
    ...(ungrouped.length > 0 ? { ungrouped_lessons: ungrouped } : {}),
  };
}

/** The records with the numbers that were left out. */
export function withCounting(records: readonly Json[], isCounted: boolean): Json[] {
  if (!isCounted) return [...records];
  let last = 0;
  return records.map((record) => {
    last = typeof record.sequence === 'number' ? record.sequence : last + 1;
    return { ...record, sequence: last };
  });
}
