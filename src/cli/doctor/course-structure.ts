import { courseModule, lessonSummary } from '../../contract/schemas/lesson.ts';
import { isObject } from '../../shared/json.ts';
import type { Difference, Row } from './assumption.ts';
import { fieldDifferences } from './field-differences.ts';
import { idOf } from './response-records.ts';
import { differs, formOf } from './value-shapes.ts';

const entriesOf = (list: unknown): unknown[] => (Array.isArray(list) ? list : []);
const rowsOf = (list: unknown): Row[] => entriesOf(list).filter(isObject);

/** Every list of lessons: of each module, and of none. */
function lessonLists({ modules, ungrouped_lessons: ungrouped }: Row): unknown[] {
  return [...rowsOf(modules).map(({ lessons }) => lessons), ungrouped];
}

function listProblem(name: string, list: unknown): string[] {
  if (!Array.isArray(list)) return [`${name} is ${formOf(list)}`];
  const strange = list.length - rowsOf(list).length;
  return strange === 0 ? [] : [`entries of ${name} that are no records: ${strange}`];
}

/** Lessons of a module inside a module are not seen. */
function hasModules(module: Row): boolean {
  return ['modules', 'children', 'sections', 'submodules'].some((key) => rowsOf(module[key]).length > 0);
}

/** What of the two levels is not a list of records with the documented fields. */
export function structureDifferences(structure: Row): readonly Difference[] {
  const { modules, ungrouped_lessons: ungrouped } = structure;
  const ofModules = rowsOf(modules).flatMap(({ lessons }) => listProblem('lessons of a module', lessons));
  const lists = [
    ...listProblem('modules', modules),
    ...listProblem('ungrouped_lessons', ungrouped),
    ...new Set(ofModules),
  ];
  const lessons = lessonLists(structure).flatMap(rowsOf);
  return [
    ...lists.flatMap((problem) => differs(problem)),
    ...(rowsOf(modules).some(hasModules) ? differs('a module holds modules') : []),
    ...inFields('a module', fieldDifferences(courseModule, rowsOf(modules), ['lessons', 'sequence'])),
    ...inFields('a lesson', fieldDifferences(lessonSummary, lessons, ['sequence'])),
  ];
}

function inFields(record: string, found: readonly Difference[] | undefined): readonly Difference[] {
  return (found ?? []).map(({ seen, isRead }) => ({ seen: `in ${record}: ${seen}`, isRead }));
}

function orderProblem(list: readonly Row[]): { seen: string; isRead: boolean } | undefined {
  const numbers = list.map(({ sequence }) => sequence);
  const odd = numbers.find((number) => !Number.isInteger(number));
  if (numbers.some((number) => !Number.isInteger(number)))
    return { seen: `a sequence is ${formOf(odd)}`, isRead: false };
  if (new Set(numbers).size < numbers.length) return { seen: 'a sequence is repeated in its list', isRead: false };
  const isSorted = list.every(
    ({ sequence }, index) => index === 0 || Number(list[index - 1]?.sequence) < Number(sequence),
  );
  return isSorted ? undefined : { seen: 'a list is not in the order of its sequences', isRead: true };
}

/** Undefined where no list has anything to order. */
export function sequenceDifferences(structure: Row): readonly Difference[] | undefined {
  const lists = [structure.modules, ...lessonLists(structure)].map(rowsOf).filter((list) => list.length > 0);
  if (lists.length === 0) return undefined;
  const found = new Map(lists.flatMap((list) => orderProblem(list) ?? []).map((problem) => [problem.seen, problem]));
  return [...found.values()];
}

/** How many lessons stand in more than one place; undefined without lessons. */
export function repeatedLessons(structure: Row): number | undefined {
  const ids = lessonLists(structure)
    .flatMap(rowsOf)
    .flatMap(({ id }) => idOf(id) ?? []);
  return ids.length === 0 ? undefined : ids.length - new Set(ids).size;
}
