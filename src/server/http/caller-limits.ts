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

/** What one HTTP request uses of its caller's limits. */
interface CallerUsage {
  /** Counts `count` more requests. If that exceeds a limit, resolves to the seconds to wait. */
  addRequests(count: number): Promise<number | undefined>;
  /** Counts `bytes` more bytes; false, without counting, if that exceeds the limit. */
  addBytes(bytes: number): boolean;
  /** Frees everything that was counted. */
  release(): void;
}

/** Limits how much of the server one caller can use. Independent of the API's own limit. */
export interface CallerLimits {
  usageOf(caller: string): CallerUsage;
}

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

export function createCallerLimits(options: CallerLimitOptions): CallerLimits {
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
    usageOf: (caller) => {
      let requests = 0;
      let bytes = 0;
      return {
        addRequests: async (count) => {
          if (inFlight.of(caller) + count > maxInFlight) return retrySoonSeconds;
          requests += count;
          inFlight.change(caller, count);
          return await waitFor(caller, count);
        },
        addBytes: (more) => {
          if (bytesOf.of(caller) + more > maxBytes) return false;
          bytes += more;
          bytesOf.change(caller, more);
          return true;
        },
        release: () => {
          inFlight.change(caller, -requests);
          bytesOf.change(caller, -bytes);
        },
      };
    },
  };
}
