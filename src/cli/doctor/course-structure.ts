import { courseModule, lessonSummary } from '../../contract/schemas/lesson.ts';
import { idOf } from '../../insights/sales/products-in-order.ts';
import { isObject } from '../../shared/json.ts';
import type { Difference, JsonRecord } from './assumption.ts';
import { fieldDifferences } from './field-differences.ts';
import { differs, shapeOf } from './mask-value.ts';

const entriesOf = (list: unknown): unknown[] => (Array.isArray(list) ? list : []);
const rowsOf = (list: unknown): JsonRecord[] => entriesOf(list).filter(isObject);

/** The lists of lessons of each module and of lessons without a module. */
function lessonLists({ modules, ungrouped_lessons: ungrouped }: JsonRecord): unknown[] {
  return [...rowsOf(modules).map(({ lessons }) => lessons), ungrouped];
}

function listProblem(name: string, list: unknown): string[] {
  if (!Array.isArray(list)) return [`${name} is ${shapeOf(list)}`];
  const nonRecords = list.length - rowsOf(list).length;
  return nonRecords === 0 ? [] : [`entries of ${name} that are not records: ${nonRecords}`];
}

/** Whether a module contains modules, whose lessons the program does not read. */
function hasModules(module: JsonRecord): boolean {
  return ['modules', 'children', 'sections', 'submodules'].some((key) => rowsOf(module[key]).length > 0);
}

/** Compares both levels with the documented fields. */
export function structureDifferences(structure: JsonRecord): readonly Difference[] {
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
    ...(rowsOf(modules).some(hasModules) ? differs('a module contains modules') : []),
    ...inRecord('a module', fieldDifferences(courseModule, rowsOf(modules), ['lessons', 'sequence'])),
    ...inRecord('a lesson', fieldDifferences(lessonSummary, lessons, ['sequence'])),
  ];
}

function inRecord(record: string, differences: readonly Difference[] = []): readonly Difference[] {
  return differences.map(({ found, isHandled }) => ({ found: `in ${record}: ${found}`, isHandled }));
}

function orderProblem(list: readonly JsonRecord[]): Difference | undefined {
  const numbers = list.map(({ sequence }) => sequence);
  const odd = numbers.find((number) => !Number.isInteger(number));
  if (numbers.some((number) => !Number.isInteger(number)))
    return { found: `a sequence is ${shapeOf(odd)}`, isHandled: false };
  if (new Set(numbers).size < numbers.length) return { found: 'a sequence is repeated in its list', isHandled: false };
  const isSorted = list.every(
    ({ sequence }, index) => index === 0 || Number(list[index - 1]?.sequence) < Number(sequence),
  );
  return isSorted ? undefined : { found: 'a list is not in the order of its sequences', isHandled: true };
}

/** Undefined if every list is empty. */
export function sequenceDifferences(structure: JsonRecord): readonly Difference[] | undefined {
  const lists = [structure.modules, ...lessonLists(structure)].map(rowsOf).filter((list) => list.length > 0);
  if (lists.length === 0) return undefined;
  const problems = lists.flatMap((list) => orderProblem(list) ?? []);
  return [...new Map(problems.map((problem) => [problem.found, problem])).values()];
}

/** Number of lessons that are listed more than once; undefined without lessons. */
export function repeatedLessons(structure: JsonRecord): number | undefined {
  const ids = lessonLists(structure)
    .flatMap(rowsOf)
    .flatMap(({ id }) => idOf(id) ?? []);
  return ids.length === 0 ? undefined : ids.length - new Set(ids).size;
}
