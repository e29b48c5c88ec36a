import { createMemoryStore, type SharedStore } from '../../shared/shared-store.ts';

interface CallerLimitOptions {
  /** Counts the requests of all replicas together; default: those of this one. */
  store?: SharedStore | undefined;
  /** Requests a minute of one caller. */
  perMinute: number | 'off';
  /** Concurrent requests of one caller. Each call of a batch counts. */
  maxInFlight: number;
  /** Total bytes of those requests. */
  maxBytes: number;
}

export type CallerLimits = ReturnType<typeof createCallerLimits>;

const windowMs = 60_000;

/** Seconds. How soon a running request ends is not known. */
export const retrySoonSeconds = 1;

/** Limits how much of the server one caller can use. Independent of the API's own limit. */
export function createCallerLimits(options: CallerLimitOptions) {
  const { perMinute, maxInFlight, maxBytes, store = createMemoryStore() } = options;
  /** What the open HTTP requests of each caller use together. */
  const inUse = new Map<string, { open: number; requests: number; bytes: number }>();

  /** Seconds to wait; undefined if the caller is within the limit. */
  async function waitFor(caller: string, added: number): Promise<number | undefined> {
    if (perMinute === 'off') return undefined;
    const { count, ttlMs } = await store.increment(caller, windowMs, added);
    return count <= perMinute ? undefined : Math.max(1, Math.ceil(ttlMs / 1000));
  }

  return {
    /** What one HTTP request uses of its caller's limits. */
    usageOf: (caller: string) => {
      const all = inUse.get(caller) ?? { open: 0, requests: 0, bytes: 0 };
      inUse.set(caller, all);
      all.open += 1;
      const own = { requests: 0, bytes: 0 };
      return {
        /** Counts `count` more requests. If that exceeds a limit, resolves to the seconds to wait. */
        addRequests: async (count: number): Promise<number | undefined> => {
          if (all.requests + count > maxInFlight) return retrySoonSeconds;
          own.requests += count;
          all.requests += count;
          return await waitFor(caller, count);
        },
        /** Counts `more` bytes; false, without counting, if that exceeds the limit. */
        addBytes: (more: number): boolean => {
          if (all.bytes + more > maxBytes) return false;
          own.bytes += more;
          all.bytes += more;
          return true;
        },
        /** Frees everything that was counted. */
        release: (): void => {
          all.open -= 1;
          all.requests -= own.requests;
          all.bytes -= own.bytes;
          if (all.open === 0) inUse.delete(caller);
        },
      };
    },
  };
}
