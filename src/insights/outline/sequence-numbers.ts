import { type Candidate, maxWeightSubsequence } from './max-weight-subsequence.ts';

/** One past the largest number that `sequence` is sent with. */
const beyondLargest = 2 ** 31;

/** A lesson of a list in its final order. */
export interface Numbered {
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
export function newNumbers(list: readonly Numbered[]): (number | undefined)[] {
  const kept = new Set(keptPlaces(list));
  let last = -1;
  return list.map(({ number }, index) => {
    const isNew = !kept.has(index);
    last = isNew ? Math.max(last + 1, 0) : (number ?? last);
    return isNew ? last : undefined;
  });
}
