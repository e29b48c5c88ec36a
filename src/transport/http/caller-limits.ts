import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';

export interface CallerLimitOptions {
  /** Requests a minute of one caller. */
  perMinute: number | 'off';
  /** Requests of one caller that may be under way at once. */
  maxInFlight: number;
}

/** A place among the requests under way, or how long to wait for one, in seconds. */
export type Entry = { leave(): void } | { retryAfter: number };

/** Keeps one caller from taking the server away from the others. It knows nothing of the API's own limit. */
export interface CallerLimits {
  enter(caller: string): Promise<Entry>;
}

/** How soon a place may come free is not known; a second is soon enough to ask again. */
const soon = { retryAfter: 1 };

export function createCallerLimits({ perMinute, maxInFlight }: CallerLimitOptions): CallerLimits {
  const inFlight = new Map<string, number>();
  const limiter = perMinute === 'off' ? undefined : new RateLimiterMemory({ points: perMinute, duration: 60 });

  function leave(caller: string): void {
    const left = (inFlight.get(caller) ?? 1) - 1;
    if (left > 0) inFlight.set(caller, left);
    else inFlight.delete(caller);
  }

  /** Undefined where the caller may go on. */
  async function refusal(caller: string): Promise<Entry | undefined> {
    try {
      await limiter?.consume(caller);
      return undefined;
    } catch (refused) {
      // Anything else is a fault of the program, and no reason to let everybody in.
      if (!(refused instanceof RateLimiterRes)) throw refused;
      return { retryAfter: Math.max(1, Math.ceil(refused.msBeforeNext / 1000)) };
    }
  }

  return {
    enter: async (caller) => {
      const already = inFlight.get(caller) ?? 0;
      if (already >= maxInFlight) return soon;
      inFlight.set(caller, already + 1);
      const refused = await refusal(caller);
      if (refused === undefined) return { leave: () => leave(caller) };
      leave(caller);
      return refused;
    },
  };
}
