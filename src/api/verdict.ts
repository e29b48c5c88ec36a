import type { WriteOutcome } from '../errors.ts';
import type { Outcome } from './outcome.ts';

/**
 * The truth about a write, as far as its last attempt proves it. A 2xx was done, whatever became of its body. What was
 * refused or never left was not. Gateways say 408, 3xx and 5xx whether or not the platform did the work.
 */
export function verdictOf(outcome: Outcome): WriteOutcome {
  if (outcome.kind === 'not_sent') return 'not_applied';
  if (outcome.kind === 'no_answer') return 'outcome_unknown';
  if (outcome.status >= 200 && outcome.status < 300) return 'applied';
  const isRefusal = outcome.status >= 400 && outcome.status < 500 && outcome.status !== 408;
  return isRefusal ? 'not_applied' : 'outcome_unknown';
}
