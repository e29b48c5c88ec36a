import { createTtlCache } from './ttl-cache.ts';

/** A stored value, and the milliseconds until it expires. */
export interface StoredValue {
  readonly value: string;
  readonly ttlMs: number;
}

/** A count, and the milliseconds until it starts again. */
export interface Count {
  readonly count: number;
  readonly ttlMs: number;
}

/**
 * Values for a limited time, shared by all replicas or kept in this process. No method rejects: while the shared form is
 * lost, each answers as this process alone would, and `isShared` is false.
 */
export interface SharedStore {
  get(key: string): Promise<StoredValue | undefined>;
  set(key: string, value: string, ttlMs: number): Promise<void>;
  /** Sets a value if there is none. Resolves to whether it did. */
  setIfAbsent(key: string, value: string, ttlMs: number): Promise<boolean>;
  /** The same of all replicas, or undefined while that cannot be known. */
  claim(key: string, value: string, ttlMs: number): Promise<boolean | undefined>;
  delete(key: string): Promise<void>;
  /** Counts `by` more. The count expires `ttlMs` after its first increment. */
  increment(key: string, ttlMs: number, by: number): Promise<Count>;
  /** Whether other replicas see the same values at this moment. */
  isShared(): boolean;
}

interface MemoryStoreOptions {
  /** Above this number of values, the oldest is deleted. */
  maxEntries?: number;
  /** Above this number of characters together, the oldest values are deleted. */
  maxCharacters?: number;
  now?: () => number;
}

/** The form for one process. The longest lifetime of its values is a day. */
export function createMemoryStore(options: MemoryStoreOptions = {}): SharedStore {
  const { maxEntries = 10_000, maxCharacters = 64 * 2 ** 20, now = () => performance.now() } = options;
  const values = createTtlCache<{ value: string; until: number }>({
    ttlMs: 86_400_000,
    maxEntries,
    maxWeight: maxCharacters,
    weigh: ({ value }) => value.length,
    now,
  });
  function find(key: string) {
    const found = values.get(key);
    return found !== undefined && found.until > now() ? found : undefined;
  }
  function setIfAbsent(key: string, value: string, ttlMs: number): boolean {
    if (find(key) !== undefined) return false;
    values.set(key, { value, until: now() + ttlMs });
    return true;
  }
  return {
    get: async (key) => {
      const found = find(key);
      return found && { value: found.value, ttlMs: found.until - now() };
    },
    set: async (key, value, ttlMs) => values.set(key, { value, until: now() + ttlMs }),
    setIfAbsent: async (...value) => setIfAbsent(...value),
    claim: async (...value) => setIfAbsent(...value),
    delete: async (key) => values.delete(key),
    increment: async (key, ttlMs, by) => {
      const before = find(key);
      const count = Number(before?.value ?? 0) + by;
      const until = before?.until ?? now() + ttlMs;
      values.set(key, { value: String(count), until });
      return { count, ttlMs: until - now() };
    },
    isShared: () => false,
  };
}
