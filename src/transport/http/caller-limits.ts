import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';

export interface CallerLimitOptions {
  /** Requests a minute of one caller. */
  perMinute: number | 'off';
  /** Requests of one caller that may be under way at once; each call of a batch is one. */
  maxInFlight: number;
}

/** What one HTTP request of a caller takes of their limits. */
export interface Stay {
  /** Takes so many places among the requests under way. Where there are not as many: how long to wait, in seconds. */
  enter(count: number): Promise<number | undefined>;
  /** Gives back all that was taken. */
  leave(): void;
}

/** Keeps one caller from taking the server away from the others. It knows nothing of the API's own limit. */
export interface CallerLimits {
  stayOf(caller: string): Stay;
}

/** How soon a place may come free is not known; a second is soon enough to ask again. */
const soon = 1;

export function createCallerLimits({ perMinute, maxInFlight }: CallerLimitOptions): CallerLimits {
  const inFlight = new Map<string, number>();
  const limiter = perMinute === 'off' ? undefined : new RateLimiterMemory({ points: perMinute, duration: 60 });

  function change(caller: string, by: number): void {
    const left = (inFlight.get(caller) ?? 0) + by;
    if (left > 0) inFlight.set(caller, left);
    else inFlight.delete(caller);
  }

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
    stayOf: (caller) => {
      let taken = 0;
      return {
        enter: async (count) => {
          if ((inFlight.get(caller) ?? 0) + count > maxInFlight) return soon;
          taken += count;
          change(caller, count);
          return await waitFor(caller, count);
        },
        leave: () => change(caller, -taken),
      };
    },
  };
}
