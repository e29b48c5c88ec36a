import { AcademyError } from '../../shared/errors.ts';
import { type Course, placesOf } from './course.ts';
import { duplicates, type IdProblem, listed, problemText, refuseProblems } from './id-problems.ts';
import { type Move, movedLists, type TargetList } from './moves.ts';

/** The requested order of the whole course. */
export interface Outline {
  readonly modules: readonly { readonly module_id: number; readonly lesson_ids: readonly number[] }[];
  readonly ungrouped_lesson_ids: readonly number[];
  /** The number of each lesson, in the order of the outline. Without them, any numbers that give this order will do. */
  readonly sequences?: readonly number[] | undefined;
}

/** Every list of the course, in the order of the course, with each lesson exactly once. */
export interface Target {
  readonly lists: readonly TargetList[];
}

function outlineProblems(course: Course, { modules, ungrouped_lesson_ids, sequences }: Outline): IdProblem[] {
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
    [
      'sequences must have a number for each lesson',
      sequences === undefined || sequences.length === ids.length ? [] : [sequences.length],
    ],
  ];
}

/** Ignoring another order of modules silently would look as if they had been moved. */
function refuseMovedModules(course: Course, { modules }: Outline): void {
  const named = new Set<number | null>(modules.map(({ module_id }) => module_id));
  const order = course.lists.map(({ module_id }) => module_id).filter((id) => named.has(id));
  if (modules.every(({ module_id }, index) => module_id === order[index])) return;
  throw new AcademyError('invalid_input', `modules cannot be moved: their order is ${listed(order.map(String))}`);
}

function targetOfOutline(course: Course, outline: Outline): Target {
  refuseProblems('outline', outlineProblems(course, outline));
  refuseMovedModules(course, outline);
  const { modules, ungrouped_lesson_ids, sequences } = outline;
  const given = [...modules, { module_id: null, lesson_ids: ungrouped_lesson_ids }];
  let next = 0;
  const lists = new Map<number | null, TargetList>(
    given.map((list) => {
      const from = next;
      next += list.lesson_ids.length;
      return [list.module_id, sequences === undefined ? list : { ...list, sequences: sequences.slice(from, next) }];
    }),
  );
  return { lists: course.lists.map(({ module_id }) => lists.get(module_id) ?? { module_id, lesson_ids: [] }) };
}

/** The requested order of a course: the whole outline or, without it, the moves. */
export interface OutlineRequest {
  readonly outline?: Outline | undefined;
  readonly moves?: readonly Move[] | undefined;
}

/**
 * The target of a request. A module that an outline omits becomes empty. Throws `invalid_input` with the ids that are
 * unknown, missing or repeated.
 */
export function targetOf(course: Course, { outline, moves = [] }: OutlineRequest): Target {
  return outline === undefined ? { lists: movedLists(course, moves) } : targetOfOutline(course, outline);
}

/** How an outline does not fit a course, in words; empty if it fits. */
export function outlineMismatch(course: Course, outline: Outline): string {
  return problemText(outlineProblems(course, outline));
}

/** The outline that requests these lists. */
export function outlineOf({ lists }: Target): Outline {
  const modules = lists.flatMap(({ module_id, lesson_ids }) => (module_id === null ? [] : [{ module_id, lesson_ids }]));
  const loose = lists.find(({ module_id }) => module_id === null);
  const ordered = [...lists.filter((list) => list !== loose), ...(loose === undefined ? [] : [loose])];
  const isNumbered = ordered.every(({ lesson_ids, sequences }) => lesson_ids.length === (sequences?.length ?? 0));
  const sequences = ordered.flatMap((list) => list.sequences ?? []);
  return {
    modules,
    ungrouped_lesson_ids: loose?.lesson_ids ?? [],
    ...(isNumbered && sequences.length > 0 ? { sequences } : {}),
  };
}

/** The current order of the course, as a target. */
export function currentTarget({ lists }: Course): Target {
  return { lists: lists.map(({ module_id, lessons }) => ({ module_id, lesson_ids: lessons.map(({ id }) => id) })) };
}

/** The same with the sequence numbers, if every lesson has one that can be written. */
export function numberedTarget(course: Course): Target {
  const { lists } = currentTarget(course);
  const numbers = course.lists.map(({ lessons }) => lessons.map(({ sequence = -1 }) => sequence));
  if (numbers.flat().some((number) => number < 0)) return { lists };
  return { lists: lists.map((list, index) => ({ ...list, sequences: numbers[index] ?? [] })) };
}
