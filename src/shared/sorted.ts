/** How many of `length` sorted items come first, by a binary search: `isFirst` is true for the first indices, then false. */
export function countFirst(length: number, isFirst: (index: number) => boolean): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isFirst(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
