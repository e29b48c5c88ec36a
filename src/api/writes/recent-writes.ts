import { createTtlCache } from '../../shared/ttl-cache.ts';

/** Most ended writes that are remembered. */
const maxEntries = 1_000;

/** When a write of each key last ended, with any outcome. What was read before may be out of date. */
export function createRecentWrites(now: () => number = () => performance.now()) {
  const times = createTtlCache<number>({ ttlMs: Number.POSITIVE_INFINITY, maxEntries, now });
  return {
    add: (key: string): void => times.set(key, now()),
    isSince: (key: string, time: number): boolean => (times.get(key) ?? Number.NEGATIVE_INFINITY) >= time,
  };
}
