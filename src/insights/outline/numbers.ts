import { type Candidate, heaviestChain } from './chain.ts';

/** One past the largest number that `sequence` is sent with. */
const beyondLargest = 2 ** 31;

/** A lesson of a list in its final order. */
export interface Numbered {
  /** Undefined where it has none in this list, or none is shown. */
  readonly number: number | undefined;
  /** Whether it is written for another reason anyway. */
  readonly isWritten: boolean;
}

/** How many numbers can be given between two that are taken: from 0 up, whatever the present ones are. */
function room(lower: number, upper: number): number {
  return Math.max(0, Math.min(upper, beyondLargest) - Math.max(lower + 1, 0));
}

/**
 * The places whose numbers stand: as many as can, with room between them for all others. Equal numbers never stand
 * side by side, since the document does not say how the API orders them. Of equally many those that save a number to a
 * lesson that is written anyway.
 */
function standing(list: readonly Numbered[]): number[] {
  const most = list.length + 1;
  const candidates = list.flatMap(({ number, isWritten }, index): Candidate[] =>
    number === undefined ? [] : [{ index, worth: isWritten ? 1 : most }],
  );
  return heaviestChain(list.length, candidates, (index, next) => {
    const lower = list[index]?.number ?? Number.NEGATIVE_INFINITY;
    const upper = list[next]?.number ?? Number.POSITIVE_INFINITY;
    return lower < upper && room(lower, upper) >= next - index - 1;
  });
}

/** For each place the number that it has or, where it gets a new one, the highest that leaves room for all behind it. */
function ceilings(list: readonly Numbered[], stands: ReadonlySet<number>): number[] {
  let next = beyondLargest;
  const backwards = list.map((_, index) => list.length - 1 - index);
  const found = backwards.map((index) => {
    next = stands.has(index) ? (list[index]?.number ?? next) : Math.min(next, beyondLargest) - 1;
    return next;
  });
  return found.reverse();
}

/**
 * The new number of each place, undefined where the present one stands. A new number is as near to its place, counted
 * from 0, as there is room: if numbers should mean places after all, that is most often right too.
 */
export function newNumbers(list: readonly Numbered[]): (number | undefined)[] {
  const stands = new Set(standing(list));
  let last = -1;
  return ceilings(list, stands).map((ceiling, index) => {
    const isNew = !stands.has(index);
    last = isNew ? Math.min(Math.max(index, last + 1), ceiling) : ceiling;
    return isNew ? last : undefined;
  });
}
