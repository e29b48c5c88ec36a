import type { SharedStore } from '../../shared/shared-store.ts';

/** Longer than any call that looked before it writes. Milliseconds. */
const ttlMs = 3_600_000;

/** When a write of each key last ended, with any outcome, on any replica. What was read before may be out of date. */
export function createRecentWrites(store: SharedStore) {
  const keyOf = (key: string) => `ended ${key}`;
  return {
    add: (key: string): Promise<void> => store.set(keyOf(key), 'ended', ttlMs),
    /** `time`: milliseconds of this process's monotonic clock. */
    isSince: async (key: string, time: number): Promise<boolean> => {
      const found = await store.get(keyOf(key));
      return found !== undefined && performance.now() - (ttlMs - found.ttlMs) >= time;
    },
  };
}
