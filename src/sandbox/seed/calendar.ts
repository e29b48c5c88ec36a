const day = 86_400_000;
export const days = 730;

/** Weekends sell less, sales triple in two years, and a campaign lifts the last six weeks. */
function weightOf(daysAgo: number, now: number): number {
  const weekday = new Date(now - daysAgo * day).getUTCDay();
  const quiet = weekday === 0 || weekday === 6 ? 0.7 : 1;
  const growth = 1 + 2 * (1 - daysAgo / days);
  return quiet * growth * (daysAgo <= 42 ? 3.1 : 1);
}

/**
 * Returns a function that spreads times over the two years before `now`, most of them in the last weeks. It takes a share
 * from 0 to 1 and returns milliseconds since 1970. A larger share gives a later time.
 */
export function createCalendar(now: number): (share: number) => number {
  const weights = Array.from({ length: days }, (_, index) => weightOf(days - index - 0.5, now));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const start = now - days * day;
  let past = 0;
  const ends = weights.map((weight) => {
    past += weight / total;
    return past;
  });
  return (share) => {
    const index = Math.min(firstAbove(ends, share), days - 1);
    const before = ends[index - 1] ?? 0;
    const within = (share - before) / ((ends[index] ?? 1) - before);
    return Math.floor(start + (index + Math.min(within, 1)) * day);
  };
}

function firstAbove(ends: readonly number[], share: number): number {
  let low = 0;
  let high = ends.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ends[middle] ?? 1) <= share) low = middle + 1;
    else high = middle;
  }
  return low;
}
