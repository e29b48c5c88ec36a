export interface TtlCacheOptions<Value> {
  ttlMs: number;
  /** Above this number of entries, the oldest is deleted. */
  maxEntries: number;
  /** Above this total weight, the oldest entries are deleted, but never the newest. */
  maxWeight?: number;
  weigh?: (value: Value) => number;
  now?: (() => number) | undefined;
}

export type TtlCache<Value> = ReturnType<typeof createTtlCache<Value>>;

export function createTtlCache<Value>({
  ttlMs,
  maxEntries,
  maxWeight = Number.POSITIVE_INFINITY,
  weigh = () => 0,
  now = () => performance.now(),
}: TtlCacheOptions<Value>) {
  const entries = new Map<string, { value: Value; until: number; weight: number }>();
  let weight = 0;

  function remove(key: string): void {
    weight -= entries.get(key)?.weight ?? 0;
    entries.delete(key);
  }

  return {
    get: (key: string): Value | undefined => {
      const entry = entries.get(key);
      return entry !== undefined && entry.until > now() ? entry.value : undefined;
    },
    leftMs: (key: string): number => (entries.get(key)?.until ?? 0) - now(),
    set: (key: string, value: Value, lifeMs = ttlMs): void => {
      remove(key);
      const at = now();
      const entry = { value, until: at + lifeMs, weight: weigh(value) };
      entries.set(key, entry);
      weight += entry.weight;
      for (const [oldest, { until }] of entries) {
        const isOverLimit = entries.size > maxEntries || (weight > maxWeight && oldest !== key);
        // Entries usually have the same lifetime, so those after one that stays expire later.
        if (!isOverLimit && until > at) return;
        remove(oldest);
      }
    },
    delete: remove,
    values: (): Value[] => [...entries.values()].filter(({ until }) => until > now()).map(({ value }) => value),
  };
}
