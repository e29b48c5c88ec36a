/** Values kept for a short while, so that the next call need not ask for them again. */
export interface TtlCache<Value> {
  get(key: string): Value | undefined;
  set(key: string, value: Value): void;
  drop(key: string): void;
}

export interface TtlCacheOptions {
  /** Milliseconds after `set` during which a value is there. */
  ttlMs: number;
  /** Beyond this number the oldest goes. */
  maxEntries: number;
  now?: () => number;
}

export function createTtlCache<Value>({
  ttlMs,
  maxEntries,
  now = () => performance.now(),
}: TtlCacheOptions): TtlCache<Value> {
  const kept = new Map<string, { value: Value; until: number }>();
  return {
    get: (key) => {
      const entry = kept.get(key);
      return entry !== undefined && entry.until > now() ? entry.value : undefined;
    },
    set: (key, value) => {
      kept.delete(key);
      kept.set(key, { value, until: now() + ttlMs });
      for (const [oldest, { until }] of kept) {
        if (kept.size > maxEntries || until <= now()) kept.delete(oldest);
      }
    },
    drop: (key) => void kept.delete(key),
  };
}
