import type { Repeat } from '../contract/operation.ts';
import type { WriteOutcome } from '../shared/errors.ts';
import type { AttemptResult } from './http/attempt-result.ts';
import { writeOutcomeOf } from './writes/write-outcome.ts';

/** Retries of a call so far, by reason. */
export interface AttemptCounts {
  /** After a 429. */
  readonly refused: number;
  /** After a failure of a read, or one that proves that the request was not processed. */
  readonly failed: number;
  /** After reading back showed the old value. */
  readonly repeated: number;
}

/**
 * What to do after an attempt. `settled`: the result is final. `verify`: the outcome of a write is unknown, so read back.
 * If that shows the old value and `mayResend` is true, send once more.
 */
export type RetryDecision =
  | { readonly next: 'send_again'; readonly why: 'refused' | 'failed' }
  | { readonly next: 'settled' }
  | { readonly next: 'verify'; readonly mayResend: boolean };

const settled: RetryDecision = { next: 'settled' };

function upTo(limit: number, why: 'refused' | 'failed', spent: AttemptCounts): RetryDecision {
  return spent[why] < limit ? { next: 'send_again', why } : settled;
}

/** Retries of a read after this status. A second try rarely cures a 500, and often cures an error of a gateway. */
function readRetries(status: number): number {
  if (status === 500) return 1;
  return [408, 502, 503, 504].includes(status) ? 2 : 0;
}

function afterRead(result: Exclude<AttemptResult, { kind: 'not_sent' }>, spent: AttemptCounts): RetryDecision {
  if (result.kind === 'no_answer') return upTo(2, 'failed', spent);
  if (result.status >= 300) return upTo(readRetries(result.status), 'failed', spent);
  // The answer would be as large the next time.
  if (result.kind === 'body_lost' && result.exceeded !== undefined) return settled;
  const isReadable = result.kind === 'answered' && typeof result.body === 'object';
  return isReadable ? settled : upTo(1, 'failed', spent);
}

function afterWrite(repeat: Repeat, proved: WriteOutcome, spent: AttemptCounts): RetryDecision {
  if (proved !== 'outcome_unknown') return settled;
  return { next: 'verify', mayResend: repeat === 'same_effect' && spent.repeated === 0 };
}

/**
 * The whole retry table. A request that was not sent, or was refused with 429, was not processed, so any operation may
 * retry. Otherwise only a read may: nothing proves that a write was not processed, so the client reads back instead.
 * `proved`: what the answer proves of a write. docs/internals/decisions/0007 gives the reason for each row.
 */
export function decideRetry(
  repeat: Repeat,
  result: AttemptResult,
  spent: AttemptCounts,
  proved: WriteOutcome = writeOutcomeOf(result),
): RetryDecision {
  if (result.kind === 'not_sent') return result.permanent ? settled : upTo(2, 'failed', spent);
  if (result.kind !== 'no_answer' && result.status === 429) return upTo(3, 'refused', spent);
  return repeat === 'safe' ? afterRead(result, spent) : afterWrite(repeat, proved, spent);
}

/** Full jitter: 0 to 500 ms, doubled by each retry, at most 8 s. Milliseconds. */
export function backoffDelay(retries: number, random: number): number {
  return random * Math.min(8_000, 500 * 2 ** retries);
}

/** Retries must not double the load in an outage: at most ten, and one more for every ten successes. */
export function createRetryBudget(maxRetries = 10, perSuccess = 0.1) {
  let left = maxRetries;
  return {
    succeeded: () => {
      left = Math.min(maxRetries, left + perSuccess);
    },
    /** Takes one retry; false if none is left. */
    take: (): boolean => {
      if (left < 1) return false;
      left -= 1;
      return true;
    },
  };
}
