import { pino } from 'pino';
import type { ApiClient } from '../../../src/api/api.ts';
import { createApiClient } from '../../../src/api/client.ts';
import { createHttp } from '../../../src/api/http/http.ts';
import { createSlidingLimiter } from '../../../src/api/rate-limit/sliding-window-limiter.ts';
import type { Random } from '../../../src/sandbox/seed/random.ts';
import type { Allowance } from './counters.ts';

export interface ScaledOptions extends Allowance {
  readonly url: string;
  readonly share: number;
  /** Like the setting, but in windows instead of minutes. */
  readonly maxWaitWindows: number;
  readonly random: Random;
}

const realWindowMs = 60_000;
const timeoutMs = 30_000;

/** The default maximum wait: 45 s of a window of 60 s. */
export const defaultMaxWaitWindows = 0.75;

/**
 * The real limiter, retries and HTTP client, combined as in the program, for an API whose window is shorter than
 * a minute. All pauses scale by the same factor.
 */
export function createScaledClient({ url, limit, windowMs, share, maxWaitWindows, random }: ScaledOptions): ApiClient {
  const pace = windowMs / realWindowMs;
  const maxWaitMs = maxWaitWindows * windowMs;
  const limiter = createSlidingLimiter({
    limit,
    share,
    windowMs,
    maxWaitMs,
    pauses: { first: 5_000 * pace, longest: 60_000 * pace },
    random: random.next,
  });
  return createApiClient({
    baseUrl: new URL(url),
    http: createHttp({ authorization: 'Bearer key', userAgent: 'reliability', timeoutMs }),
    limiter,
    log: pino({ level: 'silent' }),
    deadlineMs: maxWaitMs + timeoutMs * pace,
    quarantineMs: 0,
    preflight: false,
    pace,
    random: random.next,
  });
}
