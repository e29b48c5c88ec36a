import { hourMs } from './durations.ts';
import { createTtlCache } from './ttl-cache.ts';

/** Whose bytes they are, for how long they are kept. */
interface ByteTerms {
  readonly owner: string;
  readonly ttlMs: number;
}

/** Large values for a limited time, with a quota: what does not fit is refused, and nothing that is kept is thrown away for it. */
export interface ByteStore {
  /** Resolves to false, without keeping them, if that exceeds the quota of the owner or of all. */
  put(key: string, bytes: Uint8Array, terms: ByteTerms): Promise<boolean>;
  get(key: string): Promise<Uint8Array | undefined>;
}

/** Bytes of everything that is kept together. */
export const byteQuota = { ofOwner: 32 * 2 ** 20, ofAll: 64 * 2 ** 20 };

/** Small values cost more memory than their bytes. */
export const leastCounted = 16 * 1024;

interface Kept extends ByteTerms {
  readonly bytes: Uint8Array;
  readonly until: number;
}

/** The form for one process. */
export function createMemoryBytes(now: () => number = () => performance.now(), quota = byteQuota): ByteStore {
  const values = new Map<string, Kept>();

  function forgetExpired(): void {
    for (const [key, { until }] of values) if (until <= now()) values.delete(key);
  }

  function used(isCounted: (kept: Kept) => boolean): number {
    return [...values.values()]
      .filter(isCounted)
      .reduce((sum, { bytes }) => sum + Math.max(bytes.length, leastCounted), 0);
  }

  // Nothing else would free the memory of what has expired.
  setInterval(forgetExpired, hourMs / 60).unref();
  return {
    put: async (key, bytes, terms) => {
      forgetExpired();
      const size = Math.max(bytes.length, leastCounted);
      if (used(({ owner }) => owner === terms.owner) + size > quota.ofOwner) return false;
      if (used(() => true) + size > quota.ofAll) return false;
      values.set(key, { ...terms, bytes, until: now() + terms.ttlMs });
      return true;
    },
    get: async (key) => {
      const found = values.get(key);
      return found !== undefined && found.until > now() ? found.bytes : undefined;
    },
  };
}

/** A stored value, and the milliseconds until it expires. */
interface StoredValue {
  readonly value: string;
  readonly ttlMs: number;
}

/** A count, and the milliseconds until it starts again. */
interface Count {
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

/** What Redis is to this replica at the moment, for /readyz and metrics. */
export interface SharedStatus {
  readonly isUp: boolean;
  /** How often Redis was lost or emptied since the start. */
  readonly losses: number;
}

/** What all replicas of a deployment share. `Tokens` are those of the rate limit, which this folder does not know. */
export interface SharedState<Tokens> {
  /** The tokens of an account, by its address: every key of it counts against the same limit. */
  tokensOf(address: URL): Tokens;
  /** A store of its own for each name, readable only with the secret. */
  storeOf(name: string, secret: string): SharedStore;
  /** Large values of all accounts, with one quota, readable only with the secret. */
  bytes(secret: string): ByteStore;
  status(): SharedStatus;
  close(): Promise<void>;
}
