import { setTimeout } from 'node:timers/promises';
import { RateLimitedError } from '../shared/errors.ts';

/** An account that refuses so often is used up by others: waiting on would be for ever. */
const maxTries = 10;

export interface RetryTerms {
  signal: AbortSignal;
  /** Hears of each wait, in seconds, and returns what is to hear of its end. */
  onWait: (seconds: number) => () => void;
}

/**
 * Asks again after the wait that a `rate_limited` names: nothing was sent then. For jobs that a person has agreed to wait
 * for. Rejects with the signal's reason when it aborts during a wait.
 */
export async function retryWhenLimited<T>(ask: () => Promise<T>, { signal, onWait }: RetryTerms): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof RateLimitedError) || tries >= maxTries) throw error;
      const onEnd = onWait(error.retryAfterSeconds);
      await setTimeout(error.retryAfterSeconds * 1000, undefined, { signal }).finally(onEnd);
    }
  }
}
