import { createTtlCache, type TtlCacheOptions } from './ttl-cache.ts';

/** Values for a limited time. No method rejects: while the shared form is lost, each answers as this process alone would. */
export interface SharedStore {
  /** `ttlMs`: until it expires. */
  get(key: string): Promise<{ readonly value: string; readonly ttlMs: number } | undefined>;
  set(key: string, value: string, ttlMs: number): Promise<void>;
  /** Sets a value if there is none. Resolves to whether it did; undefined if only this process had none, and others are unknown. */
  setIfAbsent(key: string, value: string, ttlMs: number): Promise<boolean | undefined>;
  delete(key: string): Promise<void>;
  /** Counts `by` more. The count expires `ttlMs` after its first increment. */
  increment(key: string, ttlMs: number, by: number): Promise<{ readonly count: number; readonly ttlMs: number }>;
  /** Whether other replicas see the same values at this moment. */
  isShared(): boolean;
}

/** `maxWeight`: characters of all values together. */
export function createMemoryStore(
  options: Partial<Pick<TtlCacheOptions<string>, 'maxEntries' | 'maxWeight' | 'now'>> = {},
): SharedStore {
  const limits = { maxEntries: 10_000, maxWeight: 64 * 2 ** 20, weigh: (value: string) => value.length };
  // Each value has a lifetime of its own.
  const values = createTtlCache<string>({ ttlMs: 0, ...limits, ...options });
  function set(key: string, value: string, ttlMs: number): void {
    values.set(key, value, ttlMs);
    // Frees the memory of expired values, which are read no more.
    setTimeout(() => values.get(key) ?? values.delete(key), ttlMs + 1_000).unref();
  }
  return {
    get: async (key) => {
      const value = values.get(key);
      return value === undefined ? undefined : { value, ttlMs: values.leftMs(key) };
    },
    set: async (...value) => set(...value),
    setIfAbsent: async (key, value, ttlMs) => {
      if (values.get(key) !== undefined) return false;
      set(key, value, ttlMs);
      return true;
    },
    delete: async (key) => values.delete(key),
    increment: async (key, ttlMs, by) => {
      const before = values.get(key);
      const count = Number(before ?? 0) + by;
      values.set(key, String(count), before === undefined ? ttlMs : values.leftMs(key));
      return { count, ttlMs: values.leftMs(key) };
    },
    isShared: () => false,
  };
}
