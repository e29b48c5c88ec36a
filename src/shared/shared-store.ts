import { createTtlCache } from './ttl-cache.ts';

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

interface MemoryStoreOptions {
  maxEntries?: number;
  /** Above this number of characters together, the oldest values are deleted. */
  maxCharacters?: number;
  now?: () => number;
}

export function createMemoryStore(options: MemoryStoreOptions = {}): SharedStore {
  const { maxEntries = 10_000, maxCharacters = 64 * 2 ** 20, now } = options;
  const limits = { maxEntries, maxWeight: maxCharacters, weigh: (value: string) => value.length };
  // Each value has a lifetime of its own.
  const values = createTtlCache<string>({ ttlMs: 0, ...limits, ...(now && { now }) });
  function set(key: string, value: string, ttlMs: number): void {
    values.set(key, value, ttlMs);
    // Nothing else would soon free the memory of what has expired.
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

/** What all replicas of a deployment share. `Tokens` are those of the rate limit, which this folder does not know. */
export interface SharedState<Tokens> {
  /** The tokens of an account, by its address: every key of it counts against the same limit. */
  tokensOf(address: URL): Tokens;
  /** A store of its own for each name, readable only with the secret. */
  storeOf(name: string, secret: string): SharedStore;
  /** Whether this replica shares Redis at the moment, for /readyz and metrics. */
  isUp(): boolean;
  close(): Promise<void>;
}
