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

/** A counter for each caller. Counters at 0 are removed. */
function createCounters() {
  const counts = new Map<string, number>();
  const of = (caller: string) => counts.get(caller) ?? 0;
  return {
    of,
    change: (caller: string, by: number): void => {
      const left = of(caller) + by;
      if (left > 0) counts.set(caller, left);
      else counts.delete(caller);
    },
  };
}

/** Limits how much of the server one caller can use. Independent of the API's own limit. */
export function createCallerLimits(options: CallerLimitOptions) {
  const { perMinute, maxInFlight, maxBytes, store = createMemoryStore() } = options;
  const inFlight = createCounters();
  const bytesOf = createCounters();

  /** Seconds to wait; undefined if the caller is within the limit. */
  async function waitFor(caller: string, added: number): Promise<number | undefined> {
    if (perMinute === 'off') return undefined;
    const { count, ttlMs } = await store.increment(caller, windowMs, added);
    return count <= perMinute ? undefined : Math.max(1, Math.ceil(ttlMs / 1000));
  }

  return {
    /** What one HTTP request uses of its caller's limits. */
    usageOf: (caller: string) => {
      let requests = 0;
      let bytes = 0;
      return {
        /** Counts `count` more requests. If that exceeds a limit, resolves to the seconds to wait. */
        addRequests: async (count: number): Promise<number | undefined> => {
          if (inFlight.of(caller) + count > maxInFlight) return retrySoonSeconds;
          requests += count;
          inFlight.change(caller, count);
          return await waitFor(caller, count);
        },
        /** Counts `more` bytes; false, without counting, if that exceeds the limit. */
        addBytes: (more: number): boolean => {
          if (bytesOf.of(caller) + more > maxBytes) return false;
          bytes += more;
          bytesOf.change(caller, more);
          return true;
        },
        /** Frees everything that was counted. */
        release: (): void => {
          inFlight.change(caller, -requests);
          bytesOf.change(caller, -bytes);
        },
      };
    },
  };
}
