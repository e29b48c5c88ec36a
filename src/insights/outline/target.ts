import { AcademyError } from '../../shared/errors.ts';
import { type Course, placesOf } from './course.ts';
import { duplicates, type IdProblem, listed, problemText, refuseProblems } from './id-problems.ts';
import { type Move, movedLists, type TargetList } from './moves.ts';

/** The requested order of the whole course. Without sequence numbers, any that give this order will do. */
export interface Outline {
  readonly modules: readonly {
    readonly module_id: number;
    readonly lesson_ids: readonly number[];
    readonly sequences?: readonly number[] | undefined;
  }[];
  readonly ungrouped_lesson_ids: readonly number[];
  readonly ungrouped_sequences?: readonly number[] | undefined;
}

type Numbers = readonly number[] | undefined;

/** Lists whose sequence numbers are not one for each lesson. */
function misnumbered({ modules, ungrouped_lesson_ids, ungrouped_sequences }: Outline): string[] {
  const isWrong = (ids: readonly number[], numbers: Numbers) => numbers !== undefined && numbers.length !== ids.length;
  const lists = modules.filter(({ lesson_ids, sequences }) => isWrong(lesson_ids, sequences));
  const named = lists.map(({ module_id }) => `module ${module_id}`);
  return isWrong(ungrouped_lesson_ids, ungrouped_sequences) ? [...named, 'no module'] : named;
}

/** Every list of the course, in the order of the course, with each lesson exactly once. */
export interface Target {
  readonly lists: readonly TargetList[];
}

function outlineProblems(course: Course, outline: Outline): IdProblem[] {
  const { modules, ungrouped_lesson_ids } = outline;
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
    ['not one sequence number for each lesson', misnumbered(outline)],
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
  const { modules, ungrouped_lesson_ids, ungrouped_sequences } = outline;
  const lists = new Map<number | null, readonly [readonly number[], Numbers]>(
    modules.map(({ module_id, lesson_ids, sequences }) => [module_id, [lesson_ids, sequences]]),
  );
  lists.set(null, [ungrouped_lesson_ids, ungrouped_sequences]);
  return {
    lists: course.lists.map(({ module_id }) => {
      const [lesson_ids, sequences] = lists.get(module_id) ?? [[], undefined];
      return { module_id, lesson_ids, ...(sequences === undefined ? {} : { sequences }) };
    }),
  };
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
  const modules = lists.flatMap(({ module_id, ...list }) => (module_id === null ? [] : [{ module_id, ...list }]));
  const { lesson_ids = [], sequences } = lists.find(({ module_id }) => module_id === null) ?? {};
  return {
    modules,
    ungrouped_lesson_ids: lesson_ids,
    ...(sequences === undefined ? {} : { ungrouped_sequences: sequences }),
  };
}

/** The current order of the course, as a target. */
export function currentTarget({ lists }: Course): Target {
  return { lists: lists.map(({ module_id, lessons }) => ({ module_id, lesson_ids: lessons.map(({ id }) => id) })) };
}

/** The same with the sequence numbers of each list whose lessons all have one that can be written. */
export function numberedTarget(course: Course): Target {
  const lists = currentTarget(course).lists.map((list, index) => {
    const sequences = (course.lists[index]?.lessons ?? []).flatMap(({ sequence = -1 }) =>
      sequence < 0 ? [] : [sequence],
    );
    const isWhole = sequences.length > 0 && sequences.length === list.lesson_ids.length;
    return isWhole ? { ...list, sequences } : list;
  });
  return { lists };
}
