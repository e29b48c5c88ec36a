/** Values kept for a short while, so that the next call need not ask for them again. */
export interface Kept<Value> {
  get(key: string): Value | undefined;
  set(key: string, value: Value): void;
  drop(key: string): void;
}

export interface KeptOptions<Value> {
  /** Milliseconds after `set` during which a value is there. */
  keptFor: number;
  /** Beyond this number the oldest goes. */
  mostKept: number;
  /** Beyond this weight of all together the oldest go, but never the newest. */
  mostWeight?: number;
  weigh?: (value: Value) => number;
  now?: () => number;
}

interface Entry<Value> {
  readonly value: Value;
  readonly until: number;
  readonly weight: number;
}

export function createKept<Value>({
  keptFor,
  mostKept,
  mostWeight = Number.POSITIVE_INFINITY,
  weigh = () => 0,
  now = () => performance.now(),
}: KeptOptions<Value>): Kept<Value> {
  const kept = new Map<string, Entry<Value>>();
  let weight = 0;

  function drop(key: string): void {
    weight -= kept.get(key)?.weight ?? 0;
    kept.delete(key);
  }

  return {
    get: (key) => {
      const entry = kept.get(key);
      return entry !== undefined && entry.until > now() ? entry.value : undefined;
    },
    set: (key, value) => {
      drop(key);
      const entry = { value, until: now() + keptFor, weight: weigh(value) };
      kept.set(key, entry);
      weight += entry.weight;
      for (const [oldest, { until }] of kept) {
        const isTooMuch = kept.size > mostKept || (weight > mostWeight && oldest !== key);
        if (isTooMuch || until <= now()) drop(oldest);
      }
    },
    drop,
  };
}
