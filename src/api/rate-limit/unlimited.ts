import { type Clock, systemClock } from '../../shared/clock.ts';
import { ending } from '../../shared/shutdown.ts';
import { type Limiter, waitTooLongError } from './limiter.ts';
import { createThrottle } from './throttle.ts';

/** For `ACADEMY_RATE_LIMIT=off`: requests do not wait for a turn, but all pause after a 429. Loopback only. */
export function createUnlimited(maxWaitMs: number, clock: Clock = systemClock): Limiter {
  // A window of almost nothing: only the pause matters here, neither a budget nor spacing.
  const throttle = createThrottle({ capacity: 1, windowMs: 1, random: Math.random, clock, setAllowed: () => {} });
  let isStopped = false;
  return {
    take: async (attempt, { signal, onWait }) => {
      signal?.throwIfAborted();
      // A call of many requests, such as a bulk enrollment, ends at its next request.
      if (isStopped) throw ending();
      const pause = throttle.pausedFor();
      if (pause > maxWaitMs) throw waitTooLongError(pause);
      if (pause > 0) onWait?.(pause);
      await throttle.resumed(signal);
      return (await attempt()).value;
    },
    refused: throttle.refused,
    accepted: throttle.accepted,
    budget: () => ({ limit: undefined, full: undefined, remaining: undefined, queued: 0, isAssumed: false }),
    isFull: () => false,
    setLimit: () => {},
    stop: async () => {
      isStopped = true;
      throttle.stop();
    },
  };
}
