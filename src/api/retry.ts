import type { Repeat } from '../contract/operation.ts';
import type { Outcome } from './outcome.ts';

/** Retries already spent, by why. */
export interface Spent {
  readonly refused: number;
  readonly failed: number;
}

export type Decision = { readonly retry: false } | { readonly retry: true; readonly why: keyof Spent };

const stop: Decision = { retry: false };

function upTo(limit: number, why: keyof Spent, spent: Spent): Decision {
  return spent[why] < limit ? { retry: true, why } : stop;
}

/** Retries after an answer with this status, for a read. 500 is rarely cured by a second try, a gateway's error often is. */
function readRetries(status: number): number {
  if (status === 500) return 1;
  return [408, 502, 503, 504].includes(status) ? 2 : 0;
}

function afterReadAnswer(status: number, isReadable: boolean, spent: Spent): Decision {
  if (status >= 300) return upTo(readRetries(status), 'failed', spent);
  return isReadable ? stop : upTo(1, 'failed', spent);
}

/**
 * Whether to send again. A request that never left, or that was refused with 429, was not processed: any may go again.
 * Beyond that only a read may, for nothing proves that a write did not happen.
 */
export function decide(repeat: Repeat, outcome: Outcome, spent: Spent): Decision {
  if (outcome.kind === 'not_sent') return outcome.permanent ? stop : upTo(2, 'failed', spent);
  if (outcome.kind !== 'no_answer' && outcome.status === 429) return upTo(3, 'refused', spent);
  if (repeat !== 'safe') return stop;
  if (outcome.kind === 'no_answer') return upTo(2, 'failed', spent);
  return afterReadAnswer(outcome.status, outcome.kind === 'answered' && typeof outcome.body === 'object', spent);
}

/** Full jitter: anything from 0 to 500 ms, doubled by each retry, at most 8 s. Milliseconds. */
export function backOff(retries: number, random: number): number {
  return random * Math.min(8_000, 500 * 2 ** retries);
}
