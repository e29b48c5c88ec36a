import type { Allowance } from './counters.ts';

/**
 * The part of `limit` requests a window that was used in the long run. Under constant load request n + limit comes one
 * cycle after request n, so whole cycles are measured, from each request of the first one: no burst at a border counts
 * too much. NaN for less than two lots of requests. `times` in milliseconds, ascending.
 */
export function longRunUse(times: readonly number[], { limit, windowMs }: Allowance): number {
  const cycles = Math.floor(times.length / limit) - 1;
  if (cycles < 1) return Number.NaN;
  const used = times.slice(0, limit).map((time, index) => {
    const later = times[index + cycles * limit] ?? Number.NaN;
    return (cycles * windowMs) / (later - time);
  });
  return used.reduce((sum, part) => sum + part, 0) / used.length;
}

/** The most requests in any window of this length. */
export function maxInWindow(times: readonly number[], windowMs: number): number {
  let first = 0;
  let most = 0;
  for (const [index, time] of times.entries()) {
    while (time - (times[first] ?? time) >= windowMs) first += 1;
    most = Math.max(most, index - first + 1);
  }
  return most;
}

/** The value below which this share of the values lies (nearest rank). */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

export const percent = (share: number): string => `${(share * 100).toFixed(1)}%`;
