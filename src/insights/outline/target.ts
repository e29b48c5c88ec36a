import { AcademyError } from '../../shared/errors.ts';
import { type Course, placesOf } from './course.ts';
import { duplicates } from './duplicates.ts';
import { type IdProblem, listed, problemText, refuseProblems } from './id-problems.ts';
import { type Move, movedLists, type TargetList } from './moves.ts';

/** The whole course as it shall be. */
export interface Outline {
  readonly modules: readonly { readonly module_id: number; readonly lesson_ids: readonly number[] }[];
  readonly ungrouped_lesson_ids: readonly number[];
}

/** Every list of the course, in the course's order, and in them each of its lessons once. */
export interface Target {
  readonly lists: readonly TargetList[];
}

function outlineProblems(course: Course, { modules, ungrouped_lesson_ids }: Outline): IdProblem[] {
  const places = placesOf(course);
  const ids = [...modules.flatMap(({ lesson_ids }) => lesson_ids), ...ungrouped_lesson_ids];
  const given = new Set(ids);
  const named = modules.map(({ module_id }) => module_id);
  const known: unknown[] = course.lists.map(({ module_id }) => module_id);
  return [
    ['unknown modules', named.filter((id) => !known.includes(id))],
    ['modules given twice', duplicates(named)],
    ['unknown lessons', [...given].filter((id) => !places.has(id))],
    ['lessons given twice', duplicates(ids)],
    ['missing lessons', [...places.keys()].filter((id) => !given.has(id))],
  ];
}

/** To pass over another order of modules in silence would look as if the modules had been moved. */
function refuseMovedModules(course: Course, { modules }: Outline): void {
  const named = new Set<number | null>(modules.map(({ module_id }) => module_id));
  const order = course.lists.map(({ module_id }) => module_id).filter((id) => named.has(id));
  if (modules.every(({ module_id }, index) => module_id === order[index])) return;
  throw new AcademyError('invalid_input', `modules cannot be moved: their order is ${listed(order.map(String))}`);
}

function targetOfOutline(course: Course, outline: Outline): Target {
  refuseProblems('outline', outlineProblems(course, outline));
  refuseMovedModules(course, outline);
  const lists = new Map<number | null, readonly number[]>(
    outline.modules.map(({ module_id, lesson_ids }) => [module_id, lesson_ids]),
  );
  lists.set(null, outline.ungrouped_lesson_ids);
  return { lists: course.lists.map(({ module_id }) => ({ module_id, lesson_ids: lists.get(module_id) ?? [] })) };
}

/** What a course shall become: the whole of it or, where that is not given, what moves. */
export interface OutlineRequest {
  readonly outline?: Outline | undefined;
  readonly moves?: readonly Move[] | undefined;
}

/**
 * The course as it shall be. A module that an outline leaves out becomes empty. Throws `invalid_input` with the ids that do
 * not belong, are missing or stand twice.
 */
export function targetOf(course: Course, { outline, moves = [] }: OutlineRequest): Target {
  return outline === undefined ? { lists: movedLists(course, moves) } : targetOfOutline(course, outline);
}

/** What in an outline does not fit a course, in words; empty where all does. */
export function outlineMismatch(course: Course, outline: Outline): string {
  return problemText(outlineProblems(course, outline));
}

/** The outline that asks for these lists: what moves come to, or what a course was. */
export function outlineOf({ lists }: Target): Outline {
  const modules = lists.flatMap(({ module_id, lesson_ids }) => (module_id === null ? [] : [{ module_id, lesson_ids }]));
  return { modules, ungrouped_lesson_ids: lists.find(({ module_id }) => module_id === null)?.lesson_ids ?? [] };
}

/** The course as it is, in the form of a target. */
export function currentTarget({ lists }: Course): Target {
  return { lists: lists.map(({ module_id, lessons }) => ({ module_id, lesson_ids: lessons.map(({ id }) => id) })) };
}
