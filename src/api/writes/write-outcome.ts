import type { Operation } from '../../contract/operation.ts';
import type { WriteOutcome } from '../../shared/errors.ts';
import { isWebPage, jsonOf, type Outcome } from '../http/attempt-result.ts';
import { verdictOfBody } from '../http/denial.ts';

type Answered = Extract<Outcome, { status: number }>;

/**
 * A 2xx was done unless something contradicts it: JSON that denies it, or what is no JSON and so not the API's. A body that
 * was lost on the way says nothing against it.
 */
function writeOutcomeOfSuccess(outcome: Answered, recordKey: string): WriteOutcome {
  if (isWebPage(outcome)) return 'outcome_unknown';
  if (outcome.kind === 'body_lost' || outcome.body === 'empty') return 'applied';
  if (typeof outcome.body === 'string') return 'outcome_unknown';
  if (/problem\+json/.test(outcome.headers.contentType ?? '')) return 'not_applied';
  const said = verdictOfBody(outcome.body.json, recordKey);
  if (said === 'denied') return 'not_applied';
  return said === 'unclear' ? 'outcome_unknown' : 'applied';
}

/** Whether a 2xx in JSON holds words that may deny the write. */
export function isDoubtfulAnswer(outcome: Outcome, recordKey: string): boolean {
  const isSuccess = 'status' in outcome && outcome.status >= 200 && outcome.status < 300;
  const json = jsonOf(outcome);
  return isSuccess && json !== undefined && verdictOfBody(json, recordKey) === 'unclear';
}

/** The key of the record that an operation answers with, where it has one. */
export function recordKeyOf({ response }: Operation): string {
  return response.kind === 'record' ? response.key : '';
}

/**
 * The truth about a write, as far as its last attempt proves it, by status and body. What was refused or never left was not
 * done. Gateways say 408, 3xx and 5xx whether or not the platform did the work. `recordKey`: the key of the record that the
 * operation answers with.
 */
export function writeOutcomeOf(outcome: Outcome, recordKey = ''): WriteOutcome {
  if (outcome.kind === 'not_sent') return 'not_applied';
  if (outcome.kind === 'no_answer') return 'outcome_unknown';
  if (outcome.status >= 200 && outcome.status < 300) return writeOutcomeOfSuccess(outcome, recordKey);
  const isRefusal = outcome.status >= 400 && outcome.status < 500 && outcome.status !== 408;
  return isRefusal ? 'not_applied' : 'outcome_unknown';
}
