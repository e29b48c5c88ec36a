import { type Place, placesOf } from './course.ts';
import { type DueChanges, dueChanges, noneWritten } from './lesson-changes.ts';
import { hiddenWhileMoved, intoList, type Write } from './lesson-write.ts';
import { type Candidate, maxWeightSubsequence } from './max-weight-subsequence.ts';
import type { TargetList } from './moves.ts';
import type { Strategy } from './strategy.ts';

/** One past the largest number that `sequence` is sent with. */
const beyondLargest = 2 ** 31;

/** A lesson of a list in its final order. */
interface Numbered {
  /** Undefined if it comes from another list, or the API shows no number. */
  readonly number: number | undefined;
  /** Whether it is written anyway, for another reason. */
  readonly isWritten: boolean;
}

/** How many numbers are free between two used ones, from 0 up. */
function room(lower: number, upper: number): number {
  return Math.max(0, Math.min(upper, beyondLargest) - Math.max(lower + 1, 0));
}

/**
 * The places that keep their numbers: as many as possible, with room between them for all others. Two neighbours never have
 * identical numbers, since the document does not say how the API orders them. Among equally many places, those that need no
 * extra write win.
 */
function keptPlaces(list: readonly Numbered[]): number[] {
  const most = list.length + 1;
  const candidates = list.flatMap(({ number, isWritten }, index): Candidate[] =>
    number === undefined ? [] : [{ index, worth: isWritten ? 1 : most }],
  );
  return maxWeightSubsequence(list.length, candidates, (index, next) => {
    const lower = list[index]?.number ?? Number.NEGATIVE_INFINITY;
    const upper = list[next]?.number ?? Number.POSITIVE_INFINITY;
    return lower < upper && room(lower, upper) >= next - index - 1;
  });
}

/** The new number of each place; undefined if it keeps its number. */
function newNumbers(list: readonly Numbered[]): (number | undefined)[] {
  const kept = new Set(keptPlaces(list));
  let last = -1;
  return list.map(({ number }, index) => {
    const isNew = !kept.has(index);
    last = isNew ? Math.max(last + 1, 0) : (number ?? last);
    return isNew ? last : undefined;
  });
}

interface Present {
  readonly places: ReadonlyMap<number, Place>;
  readonly due: DueChanges;
}

/** A list is in order, with any numbers, if it has no new lessons and none passes another. */
function isInOrder(places: readonly Place[], moduleId: number | null): boolean {
  return places.every(
    ({ module_id, index }, at) => module_id === moduleId && (at === 0 || index > (places[at - 1]?.index ?? -1)),
  );
}

function numbersFor(places: readonly Place[], moduleId: number | null, due: DueChanges): (number | undefined)[] {
  if (isInOrder(places, moduleId)) return places.map(() => undefined);
  return newNumbers(
    places.map(({ lesson, module_id }) => ({
      number: module_id === moduleId ? lesson.sequence : undefined,
      isWritten: due.has(lesson.id),
    })),
  );
}

function writesOf({ module_id, lesson_ids }: TargetList, { places, due }: Present): Write[] {
  // A lesson that has been removed since has no place.
  const there = lesson_ids.flatMap((id) => places.get(id) ?? []);
  const numbers = numbersFor(there, module_id, due);
  const writes = there.map((place, index): Write => {
    const { lesson } = place;
    const sequence = numbers[index];
    return {
      lesson_id: lesson.id,
      ...intoList(module_id, place),
      ...(sequence === undefined ? {} : { sequence }),
      ...due.get(lesson.id),
    };
  });
  return writes.filter((write) => Object.keys(write).length > 1);
}

/**
 * Orders the writes of a list, given by their new numbers, so that no write breaks the right order of two lessons or puts
 * one into a wrong place. A lesson that moves up is written after all that move further up, and one that moves down after
 * all that move further down: so none passes a lesson that still has to move ahead of it. Lessons from other lists come
 * last, when the others are in place.
 */
function inSafeOrder(writes: readonly Write[], places: Present['places']): Write[] {
  const comes = (write: Write) => write.module_id !== undefined;
  const goesUp = ({ lesson_id, sequence = 0 }: Write) => {
    // A lesson without a number counts as behind all others.
    return sequence > (places.get(lesson_id)?.lesson.sequence ?? Number.POSITIVE_INFINITY);
  };
  const stays = writes.filter((write) => !comes(write));
  return [...stays.filter(goesUp).reverse(), ...stays.filter((write) => !goesUp(write)), ...writes.filter(comes)];
}

/**
 * The fewest writes that reach the target, in sending order, if `sequence` is a number of the lesson alone. List by list, so
 * that each list is incomplete only briefly. Empty if the course matches its target.
 */
export const planWrites: Strategy = (course, { lists }, changes = [], written = noneWritten) => {
  const present: Present = { places: placesOf(course), due: dueChanges(course, changes, written) };
  return hiddenWhileMoved(lists.flatMap((list) => inSafeOrder(writesOf(list, present), present.places)));
};
