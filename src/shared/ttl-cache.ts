/** Values kept for a short while, so that the next call need not ask for them again. */
export interface TtlCache<Value> {
  get(key: string): Value | undefined;
  set(key: string, value: Value): void;
  delete(key: string): void;
}

export interface TtlCacheOptions<Value> {
  /** Milliseconds after `set` during which a value is there. */
  ttlMs: number;
  /** Beyond this number the oldest goes. */
  maxEntries: number;
  /** Beyond this weight of all together the oldest go, but never the newest. */
  maxWeight?: number;
  weigh?: (value: Value) => number;
  now?: () => number;
}

interface Entry<Value> {
  readonly value: Value;
  readonly until: number;
  readonly weight: number;
}

export function createTtlCache<Value>({
  ttlMs,
  maxEntries,
  maxWeight = Number.POSITIVE_INFINITY,
  weigh = () => 0,
  now = () => performance.now(),
}: TtlCacheOptions<Value>): TtlCache<Value> {
  const kept = new Map<string, Entry<Value>>();
  let weight = 0;

  function remove(key: string): void {
    weight -= kept.get(key)?.weight ?? 0;
    kept.delete(key);
  }

  return {
    get: (key) => {
      const entry = kept.get(key);
      return entry !== undefined && entry.until > now() ? entry.value : undefined;
    },
    set: (key, value) => {
      remove(key);
      const entry = { value, until: now() + ttlMs, weight: weigh(value) };
      kept.set(key, entry);
      weight += entry.weight;
      for (const [oldest, { until }] of kept) {
        const isTooMuch = kept.size > maxEntries || (weight > maxWeight && oldest !== key);
        // All stay equally long, so that what follows one that stays is younger.
        if (!isTooMuch && until > now()) break;
        remove(oldest);
      }
    },
    delete: remove,
  };
}
