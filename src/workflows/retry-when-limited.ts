import { setTimeout } from 'node:timers/promises';
import { RateLimitedError } from '../shared/errors.ts';

/** After this many refusals others use up the account's limit, and waiting would never end. */
const maxTries = 10;

export interface RetryTerms {
  signal: AbortSignal;
  /** Receives each wait, in seconds, and returns a function to call when it ends. */
  onWait: (seconds: number) => () => void;
}

/**
 * Retries after the wait that a `rate_limited` error names: nothing was sent in that case. For jobs that a person agreed to wait
 * for. Rejects with the signal's reason if it aborts during a wait.
 */
export async function retryWhenLimited<T>(run: () => Promise<T>, { signal, onWait }: RetryTerms): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof RateLimitedError) || tries >= maxTries) throw error;
      const onEnd = onWait(error.retryAfterSeconds);
      await setTimeout(error.retryAfterSeconds * 1000, undefined, { signal }).finally(onEnd);
    }
  }
}
