import type { Repeat } from '../contract/operation.ts';
import type { WriteOutcome } from '../shared/errors.ts';
import type { AttemptResult } from './http/attempt-result.ts';
import { writeOutcomeOf } from './writes/write-outcome.ts';

/** Tries already spent on a call, by why. */
export interface AttemptCounts {
  /** After a 429. */
  readonly refused: number;
  /** After trouble on the way that proves the request undone, or of a read. */
  readonly failed: number;
  /** After reading back showed the old value. */
  readonly repeated: number;
}

/**
 * What to do after an attempt. `settled`: the outcome is the answer. `look`: a write of which nothing is known; read back,
 * and where the old value is seen and `mayResend`, send it once more.
 */
export type RetryDecision =
  | { readonly next: 'send_again'; readonly why: 'refused' | 'failed' }
  | { readonly next: 'settled' }
  | { readonly next: 'look'; readonly mayResend: boolean };

const settled: RetryDecision = { next: 'settled' };

function upTo(limit: number, why: 'refused' | 'failed', spent: AttemptCounts): RetryDecision {
  return spent[why] < limit ? { next: 'send_again', why } : settled;
}

/** Retries of a read after this status. 500 is rarely cured by a second try, a gateway's error often is. */
function readRetries(status: number): number {
  if (status === 500) return 1;
  return [408, 502, 503, 504].includes(status) ? 2 : 0;
}

function afterRead(result: Exclude<AttemptResult, { kind: 'not_sent' }>, spent: AttemptCounts): RetryDecision {
  if (result.kind === 'no_answer') return upTo(2, 'failed', spent);
  if (result.status >= 300) return upTo(readRetries(result.status), 'failed', spent);
  // As large the next time.
  if (result.kind === 'body_lost' && result.exceeded !== undefined) return settled;
  const isReadable = result.kind === 'answered' && typeof result.body === 'object';
  return isReadable ? settled : upTo(1, 'failed', spent);
}

function afterWrite(repeat: Repeat, proved: WriteOutcome, spent: AttemptCounts): RetryDecision {
  if (proved !== 'outcome_unknown') return settled;
  return { next: 'look', mayResend: repeat === 'same_effect' && spent.repeated === 0 };
}

/**
 * The retry table, whole. A request that never left, or that was refused with 429, was not processed: any may go again.
 * Beyond that only a read may, for nothing proves that a write did not happen; a write is looked for instead.
 * `proved`: what the answer proves of a write. docs/decisions/0007 gives the reasons, row by row.
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

/** Full jitter: anything from 0 to 500 ms, doubled by each retry, at most 8 s. Milliseconds. */
export function backoffDelay(retries: number, random: number): number {
  return random * Math.min(8_000, 500 * 2 ** retries);
}

/** In an outage retries must not double the load: ten in store, and one more for every ten successes. */
export function createRetryBudget(most = 10, perSuccess = 0.1) {
  let left = most;
  return {
    succeeded: () => {
      left = Math.min(most, left + perSuccess);
    },
    /** Takes one; false when there is none. */
    take: (): boolean => {
      if (left < 1) return false;
      left -= 1;
      return true;
    },
  };
}
