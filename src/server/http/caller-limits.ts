import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';

export interface CallerLimitOptions {
  /** Requests a minute of one caller. */
  perMinute: number | 'off';
  /** Requests of one caller that may be under way at once; each call of a batch is one. */
  maxInFlight: number;
  /** Bytes of those requests together. */
  maxBytes: number;
}

/** What one HTTP request of a caller takes of their limits. */
export interface CallerUsage {
  /** Takes so many places among the requests under way. Where there are not as many: how long to wait, in seconds. */
  addRequests(count: number): Promise<number | undefined>;
  /** Takes so many bytes of those that may wait; false where there are not as many. */
  addBytes(bytes: number): boolean;
  /** Gives back all that was taken. */
  release(): void;
}

/** Keeps one caller from taking the server away from the others. It knows nothing of the API's own limit. */
export interface CallerLimits {
  usageOf(caller: string): CallerUsage;
}

/** How soon a place may come free is not known; a second is soon enough to ask again. */
export const retrySoonSeconds = 1;

/** A number for each caller that has one above 0. */
function createCounts() {
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

export function createCallerLimits({ perMinute, maxInFlight, maxBytes }: CallerLimitOptions): CallerLimits {
  const inFlight = createCounts();
  const waiting = createCounts();
  const limiter = perMinute === 'off' ? undefined : new RateLimiterMemory({ points: perMinute, duration: 60 });

  /** Undefined where the caller may go on. */
  async function waitFor(caller: string, count: number): Promise<number | undefined> {
    try {
      await limiter?.consume(caller, count);
      return undefined;
    } catch (refused) {
      // Anything else is a fault of the program, and no reason to let everybody in.
      if (!(refused instanceof RateLimiterRes)) throw refused;
      return Math.max(1, Math.ceil(refused.msBeforeNext / 1000));
    }
  }

  return {
    usageOf: (caller) => {
      let places = 0;
      let bytes = 0;
      return {
        addRequests: async (count) => {
          if (inFlight.of(caller) + count > maxInFlight) return retrySoonSeconds;
          places += count;
          inFlight.change(caller, count);
          return await waitFor(caller, count);
        },
        addBytes: (more) => {
          if (waiting.of(caller) + more > maxBytes) return false;
          bytes += more;
          waiting.change(caller, more);
          return true;
        },
        release: () => {
          inFlight.change(caller, -places);
          waiting.change(caller, -bytes);
        },
      };
    },
  };
}
