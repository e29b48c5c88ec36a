import { ending } from '../../shared/shutdown.ts';
import { type Limiter, waitTooLongError } from './limiter.ts';
import { createThrottle } from './throttle.ts';

/** For `ACADEMY_RATE_LIMIT=off`: nobody waits for a turn, but a 429 still makes everybody pause. Loopback only. */
export function createUnlimited(maxWaitMs: number): Limiter {
  // A window of next to nothing: only the pause counts here, neither a budget nor a distance between requests.
  const throttle = createThrottle({ capacity: 1, windowMs: 1, random: Math.random, setAllowed: () => {} });
  let isStopped = false;
  return {
    take: async (attempt, { signal, onWait }) => {
      signal?.throwIfAborted();
      // A call of many requests, such as one that enrolls many, is told so at the next one.
      if (isStopped) throw ending();
      const pause = throttle.pausedFor();
      if (pause > maxWaitMs) throw waitTooLongError(pause);
      if (pause > 0) onWait?.(pause);
      await throttle.resumed(signal);
      return (await attempt()).value;
    },
    refused: throttle.refused,
    accepted: throttle.accepted,
    budget: () => ({ limit: undefined, full: undefined, remaining: undefined, queued: 0 }),
    isFull: () => false,
    setLimit: () => {},
    stop: async () => {
      isStopped = true;
      throttle.stop();
    },
  };
}
