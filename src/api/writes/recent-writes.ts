import { createTtlCache } from '../../shared/ttl-cache.ts';

/** So many writes that ended are remembered. */
const maxEntries = 1_000;

/** When a write of each key last ended, however it did: what was read before that may no longer be so. */
export function createRecentWrites(now: () => number = () => performance.now()) {
  const times = createTtlCache<number>({ ttlMs: Number.POSITIVE_INFINITY, maxEntries, now });
  return {
    add: (key: string): void => times.set(key, now()),
    isSince: (key: string, time: number): boolean => (times.get(key) ?? Number.NEGATIVE_INFINITY) >= time,
  };
}
