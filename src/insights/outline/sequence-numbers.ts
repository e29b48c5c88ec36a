import { type Candidate, maxWeightSubsequence } from './max-weight-subsequence.ts';

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
  return maxWeightSubsequence(list.length, candidates, (index, next) => {
    const lower = list[index]?.number ?? Number.NEGATIVE_INFINITY;
    const upper = list[next]?.number ?? Number.POSITIVE_INFINITY;
    return lower < upper && room(lower, upper) >= next - index - 1;
  });
}

/** The new number of each place, undefined where the present one stands. */
export function newNumbers(list: readonly Numbered[]): (number | undefined)[] {
  const stands = new Set(standing(list));
  let last = -1;
  return list.map(({ number }, index) => {
    const isNew = !stands.has(index);
    last = isNew ? Math.max(last + 1, 0) : (number ?? last);
    return isNew ? last : undefined;
  });
}
