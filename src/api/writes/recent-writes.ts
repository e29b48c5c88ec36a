/** So many writes that ended are remembered. */
const maxEntries = 1_000;

/** When a write of each key last ended, however it did: what was read before that may no longer be so. */
export function createRecentWrites(now: () => number = () => performance.now()) {
  const times = new Map<string, number>();
  return {
    add: (key: string): void => {
      times.delete(key);
      times.set(key, now());
      const [oldest] = times.keys();
      if (times.size > maxEntries && oldest !== undefined) times.delete(oldest);
    },
    isSince: (key: string, time: number): boolean => (times.get(key) ?? Number.NEGATIVE_INFINITY) >= time,
  };
}
