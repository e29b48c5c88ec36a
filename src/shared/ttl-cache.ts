/** Values kept for a short while, so that the next call need not ask for them again. */
export interface Kept<Value> {
  get(key: string): Value | undefined;
  set(key: string, value: Value): void;
  drop(key: string): void;
}

export interface KeptOptions {
  /** Milliseconds after `set` during which a value is there. */
  keptFor: number;
  /** Beyond this number the oldest goes. */
  mostKept: number;
  now?: () => number;
}

export function createKept<Value>({ keptFor, mostKept, now = () => performance.now() }: KeptOptions): Kept<Value> {
  const kept = new Map<string, { value: Value; until: number }>();
  return {
    get: (key) => {
      const entry = kept.get(key);
      return entry !== undefined && entry.until > now() ? entry.value : undefined;
    },
    set: (key, value) => {
      kept.delete(key);
      kept.set(key, { value, until: now() + keptFor });
      for (const [oldest, { until }] of kept) {
        if (kept.size > mostKept || until <= now()) kept.delete(oldest);
      }
    },
    drop: (key) => void kept.delete(key),
  };
}
