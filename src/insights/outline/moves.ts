import { type Course, placesOf } from './course.ts';
import { duplicates, refuseProblems } from './id-problems.ts';

/** `position` counts from 1, in the final list. */
export interface Move {
  readonly lesson_id: number;
  readonly module_id: number | null;
  readonly position: number;
}

export interface TargetList {
  readonly module_id: number | null;
  readonly lesson_ids: readonly number[];
  /** The sequence number of each lesson, if these very numbers are wanted. */
  readonly sequences?: readonly number[];
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

/** Lessons that do not move fill the places that the moves leave, in their current order. */
function listAfter(staying: readonly number[], moves: readonly Move[]): number[] {
  refuseBeyond(moves, staying.length + moves.length);
  const ids = [...staying];
  // Ascending: an insertion never shifts a lesson from a requested position.
  for (const { lesson_id, position } of moves.toSorted((one, other) => one.position - other.position)) {
    ids.splice(position - 1, 0, lesson_id);
  }
  return ids;
}

/** The lists after all moves, as one change. Throws `invalid_input` for moves that exclude each other. */
export function movedLists(course: Course, moves: readonly Move[]): TargetList[] {
  refuseUnknown(course, moves);
  const moving = new Set(moves.map(({ lesson_id }) => lesson_id));
  return course.lists.map(({ module_id, lessons }) => {
    const staying = lessons.map(({ id }) => id).filter((id) => !moving.has(id));
    return {
      module_id,
      lesson_ids: listAfter(
        staying,
        moves.filter((move) => move.module_id === module_id),
      ),
    };
  });
}
