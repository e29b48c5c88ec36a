import { AcademyError } from '../../shared/errors.ts';
import {
  type Course,
  duplicates,
  type IdProblem,
  listed,
  type Place,
  placesOf,
  problemText,
  refuseProblems,
} from './course.ts';

/** `position` counts from 1, in the final list. */
export interface Move {
  readonly lesson_id: number;
  readonly module_id: number | null;
  readonly position: number;
}

export interface TargetList {
  readonly module_id: number | null;
  readonly lesson_ids: readonly number[];
  /** The sequence number of each lesson of the course by id, if these very numbers are wanted. */
  readonly numbers?: ReadonlyMap<number, number> | undefined;
}

const placeName = ({ module_id, position }: Move) =>
  `position ${position} of ${module_id === null ? 'no module' : `module ${module_id}`}`;

function refuseUnknown(course: Course, moves: readonly Move[]): void {
  const places = placesOf(course);
  const lists = new Set(course.lists.map(({ module_id }) => module_id));
  const modules = moves.flatMap(({ module_id }) => (module_id === null || lists.has(module_id) ? [] : [module_id]));
  const ids = moves.map(({ lesson_id }) => lesson_id);
  refuseProblems('moves', [
    ['unknown modules', modules],
    ['unknown lessons', ids.filter((id) => !places.has(id))],
    ['lessons given twice', duplicates(ids)],
    ['places given twice', duplicates(moves.map(placeName))],
  ]);
}

function refuseBeyond(moves: readonly Move[], largest: number): void {
  const beyond = moves.filter(({ position }) => !Number.isInteger(position) || position < 1 || position > largest);
  const words = beyond.map((move) => `lesson ${move.lesson_id} to ${placeName(move)}`);
  refuseProblems('moves', [[`valid positions are 1 to ${largest}`, words]]);
}

/** The lists after all moves, as one change. Throws `invalid_input` for moves that exclude each other. */
export function movedLists(course: Course, moves: readonly Move[]): Target {
  refuseUnknown(course, moves);
  const moving = new Set(moves.map(({ lesson_id }) => lesson_id));
  return currentTarget(course).map((list) => {
    const own = moves.filter(({ module_id }) => module_id === list.module_id);
    // Lessons that do not move fill the places that the moves leave, in their current order.
    const lesson_ids = list.lesson_ids.filter((id) => !moving.has(id));
    refuseBeyond(own, lesson_ids.length + own.length);
    // Ascending: an insertion never shifts a lesson from a requested position.
    const inOrder = own.toSorted((one, other) => one.position - other.position);
    for (const { lesson_id, position } of inOrder) lesson_ids.splice(position - 1, 0, lesson_id);
    return { ...list, lesson_ids };
  });
}

export interface Outline {
  readonly modules: readonly { readonly module_id: number; readonly lesson_ids: readonly number[] }[];
  readonly ungrouped_lesson_ids: readonly number[];
  /** The number of each lesson, in the order of the outline. Without them, any numbers that give this order will do. */
  readonly sequences?: readonly number[] | undefined;
}

/** Every list of the course, in the order of the course, with each lesson exactly once. */
export type Target = readonly TargetList[];

/** The lessons of an outline, in the order of its `sequences`. */
const idsIn = ({ modules, ungrouped_lesson_ids }: Outline) => [
  ...modules.flatMap(({ lesson_ids }) => lesson_ids),
  ...ungrouped_lesson_ids,
];

function outlineProblems(course: Course, outline: Outline): IdProblem[] {
  const { modules, sequences } = outline;
  const places = placesOf(course);
  const ids = idsIn(outline);
  const listed = new Set(ids);
  const named = modules.map(({ module_id }) => module_id);
  const known: unknown[] = course.lists.map(({ module_id }) => module_id);
  return [
    ['unknown modules', named.filter((id) => !known.includes(id))],
    ['modules given twice', duplicates(named)],
    ['unknown lessons', [...listed].filter((id) => !places.has(id))],
    ['lessons given twice', duplicates(ids)],
    ['missing lessons', [...places.keys()].filter((id) => !listed.has(id))],
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
  const listed = new Map(modules.map(({ module_id, lesson_ids }) => [module_id, lesson_ids]));
  const numbers = sequences && new Map(idsIn(outline).map((id, index) => [id, sequences[index] ?? 0]));
  return course.lists.map(({ module_id }) => {
    const lesson_ids = module_id === null ? ungrouped_lesson_ids : (listed.get(module_id) ?? []);
    return { module_id, lesson_ids, numbers };
  });
}

export interface OutlineRequest {
  readonly outline?: Outline | undefined;
  readonly moves?: readonly Move[] | undefined;
}

/** A module that an outline omits becomes empty. Throws `invalid_input` with the ids that are unknown, missing or repeated. */
export function targetOf(course: Course, { outline, moves = [] }: OutlineRequest): Target {
  return outline === undefined ? movedLists(course, moves) : targetOfOutline(course, outline);
}

export function outlineMismatch(course: Course, outline: Outline): string {
  return problemText(outlineProblems(course, outline));
}

export function outlineOf(target: Target): Outline {
  const modules = target.flatMap(({ module_id, lesson_ids }) =>
    module_id === null ? [] : [{ module_id, lesson_ids }],
  );
  const ungrouped_lesson_ids = target.flatMap(({ module_id, lesson_ids }) => (module_id === null ? lesson_ids : []));
  const outline = { modules, ungrouped_lesson_ids };
  const sequences = idsIn(outline).flatMap((id) => target[0]?.numbers?.get(id) ?? []);
  return sequences.length > 0 ? { ...outline, sequences } : outline;
}

export function currentTarget({ lists }: Course): Target {
  return lists.map(({ module_id, lessons }) => ({ module_id, lesson_ids: lessons.map(({ id }) => id) }));
}

/** The same with the sequence numbers, if every lesson has one that can be written. */
export function numberedTarget(course: Course): Target {
  const lessons = course.lists.flatMap((list) => list.lessons);
  const numbers = new Map(lessons.map(({ id, sequence = -1 }) => [id, sequence]));
  const isWritable = [...numbers.values()].every((number) => number >= 0);
  return currentTarget(course).map((list) => (isWritable ? { ...list, numbers } : list));
}

interface Link {
  readonly index: number;
  readonly total: number;
  readonly before: Link | undefined;
}

/**
 * The ascending indices of the chain with the largest total weight; an index without a weight is in no chain. `follows` says
 * which index may come right after which, also for the ends: -1 is before a chain, the length behind it. Takes quadratic time,
 * and linear memory: a course may have thousands of lessons.
 */
export function maxWeightSubsequence(
  weights: readonly (number | undefined)[],
  follows: (index: number, next: number) => boolean,
): number[] {
  const links: Link[] = [{ index: -1, total: 0, before: undefined }];
  for (const [index, weight] of [...weights, 0].entries()) {
    let before: Link | undefined;
    for (const link of weight === undefined ? [] : links) {
      if (follows(link.index, index) && link.total > (before?.total ?? -1)) before = link;
    }
    if (before !== undefined) links.push({ index, total: before.total + (weight ?? 0), before });
  }
  const chain: number[] = [];
  const end = links.findLast(({ index }) => index === weights.length);
  for (let at = end?.before; at?.before !== undefined; at = at.before) chain.push(at.index);
  return chain.reverse();
}

/**
 * The most lessons of a list, in its final order, that are in their old order already: none from another list. Of lessons that
 * exclude each other, those of the largest sum of `worth` stay.
 */
export function inOldOrder(
  { module_id, lesson_ids }: TargetList,
  places: ReadonlyMap<number, Place>,
  worth: (id: number) => number = () => 1,
): ReadonlySet<number> {
  const oldIndexes = lesson_ids.map((id) => {
    const entry = places.get(id);
    return entry?.module_id === module_id ? entry.index : undefined;
  });
  const weights = lesson_ids.map((id, at) => (oldIndexes[at] === undefined ? undefined : worth(id)));
  const oldIndexAt = (at: number) => oldIndexes[at] ?? (at < 0 ? -1 : Number.POSITIVE_INFINITY);
  const chain = maxWeightSubsequence(weights, (at, next) => oldIndexAt(at) < oldIndexAt(next));
  return new Set(chain.flatMap((at) => lesson_ids[at] ?? []));
}
