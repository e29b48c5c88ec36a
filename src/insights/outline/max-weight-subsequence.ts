/** An entry that may be part of a chain: its index in the list, and its weight. */
export interface Candidate {
  readonly index: number;
  readonly worth: number;
}

interface Link {
  readonly index: number;
  readonly total: number;
  readonly before: Link | undefined;
}

function indices(link: Link | undefined): number[] {
  const chain: number[] = [];
  for (let at = link; at !== undefined; at = at.before) chain.unshift(at.index);
  return chain;
}

/**
 * The ascending indices of the chain with the largest total weight. `follows` says which index may come right after which,
 * also for the ends: -1 is before a chain, and `length` behind it. Takes quadratic time.
 */
export function maxWeightSubsequence(
  length: number,
  candidates: readonly Candidate[],
  follows: (index: number, next: number) => boolean,
): number[] {
  const links: Link[] = [{ index: -1, total: 0, before: undefined }];
  for (const { index, worth } of [...candidates, { index: length, worth: 0 }]) {
    let before: Link | undefined;
    for (const link of links) {
      if (follows(link.index, index) && link.total > (before?.total ?? -1)) before = link;
    }
    if (before !== undefined) links.push({ index, total: before.total + worth, before });
  }
  const end = links.findLast(({ index }) => index === length);
  return indices(end?.before).slice(1);
}
