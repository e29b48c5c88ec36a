import type { Logger } from 'pino';
import { isObject } from '../../shared/json.ts';
import { ending } from '../../shared/shutdown.ts';
import { type Limiter, waitTooLongError } from './limiter.ts';
import { createSlidingLimiter } from './sliding-window-limiter.ts';
import { type Clock, createThrottle, systemClock } from './throttle.ts';
import type { TokenLog } from './token-log.ts';

/** Requests a minute. API document: "Limits". */
const standardLimit = 60;
const academyPlanLimit = 300;

/** The API document mentions an "academy plan" but not its exact name. */
export function limitOfPlan(answer: object): number | undefined {
  const account: unknown = 'account' in answer ? answer.account : undefined;
  const plan: unknown = isObject(account) ? account.subscription_plan : undefined;
  if (typeof plan !== 'string') return undefined;
  return /academy/i.test(plan) ? academyPlanLimit : standardLimit;
}

/** Without Redis each replica uses at least one token. */
function warnOfReplicas(limiter: Limiter, tokens: TokenLog | undefined, log: Logger): void {
  const { full } = limiter.budget();
  if (tokens === undefined || full === undefined || tokens.replicas <= full) return;
  log.warn({ tokens: full }, 'ACADEMY_REPLICAS is above the tokens: without Redis, replicas can exceed the limit');
}

interface LimitSettings {
  /** Requests a minute. */
  readonly rateLimit: number | 'auto' | 'off';
  readonly rateShare: number;
  readonly maxWaitMs: number;
  readonly timeoutMs: number;
}

/** The limiter of the settings. `tokens`: shares the limit with other replicas. */
export function createLimiter(
  { rateLimit, rateShare, maxWaitMs, timeoutMs }: LimitSettings,
  tokens: TokenLog | undefined,
  log: Logger,
): Limiter {
  if (rateLimit === 'off') return createUnlimited(maxWaitMs);
  const isAssumed = rateLimit === 'auto';
  const limit = isAssumed ? standardLimit : rateLimit;
  const limiter = createSlidingLimiter({ limit, isAssumed, share: rateShare, maxWaitMs, timeoutMs, tokens });
  warnOfReplicas(limiter, tokens, log);
  return limiter;
}

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
