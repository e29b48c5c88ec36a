import type { Logger } from 'pino';
import { isObject } from '../../shared/json.ts';
import type { Limiter } from './limiter.ts';
import { createSlidingLimiter } from './sliding-window-limiter.ts';
import type { TokenLog } from './token-log.ts';
import { createUnlimited } from './unlimited.ts';

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
