import { HttpRefusal } from '../../protocol/http-response.ts';
import { createMemoryStore, type SharedStore } from '../../shared/shared-store.ts';

interface CallerLimitOptions {
  /** For the refusal: "requests from this caller". */
  what: string;
  /** Counts the requests of all replicas together; default: those of this one. */
  store?: SharedStore | undefined;
  perMinute: number | 'off';
  /** Concurrent requests of one caller. Each call of a batch counts. */
  maxInFlight: number;
  maxBytes: number;
}

export type CallerLimits = ReturnType<typeof createCallerLimits>;

const windowMs = 60_000;

/** Seconds. How soon a running request ends is not known. */
export const retrySoonSeconds = 1;

/** Limits how much of the server one caller can use. Independent of the API's own limit. */
export function createCallerLimits(options: CallerLimitOptions) {
  const { what, perMinute, maxInFlight, maxBytes, store = createMemoryStore() } = options;
  /** What the open HTTP requests of each caller use together. */
  const inUse = new Map<string, { open: number; requests: number; bytes: number }>();

  function tooMany(seconds: number): HttpRefusal {
    const message = `Too many ${what}. Try again in ${seconds} s.`;
    return new HttpRefusal(429, message, { 'retry-after': String(seconds) });
  }

  return {
    usageOf: (caller: string) => {
      const all = inUse.get(caller) ?? { open: 0, requests: 0, bytes: 0 };
      inUse.set(caller, all);
      all.open += 1;
      const own = { requests: 0, bytes: 0 };
      return {
        /** Counts `count` more requests. Throws `HttpRefusal` if that exceeds a limit. */
        addRequests: async (count: number): Promise<void> => {
          if (all.requests + count > maxInFlight) throw tooMany(retrySoonSeconds);
          own.requests += count;
          all.requests += count;
          if (perMinute === 'off') return;
          const counted = await store.increment(caller, windowMs, count);
          if (counted.count > perMinute) throw tooMany(Math.max(1, Math.ceil(counted.ttlMs / 1000)));
        },
        /** Counts `more` bytes; false, without counting, if that exceeds the limit. */
        addBytes: (more: number): boolean => {
          if (all.bytes + more > maxBytes) return false;
          own.bytes += more;
          all.bytes += more;
          return true;
        },
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
