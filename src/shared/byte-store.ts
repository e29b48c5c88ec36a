import { hourMs } from './durations.ts';

/** Whose bytes they are, for how long they are kept. */
export interface ByteTerms {
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
