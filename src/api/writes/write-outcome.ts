import type { Operation } from '../../contract/operation.ts';
import type { WriteOutcome } from '../../shared/errors.ts';
import { type AttemptResult, isWebPage, jsonOf } from '../http/attempt-result.ts';
import { assessBody } from '../http/success-body.ts';

type Answered = Extract<AttemptResult, { status: number }>;

/**
 * A 2xx is applied unless something contradicts it: JSON that denies it, or a body that is not JSON and so not the
 * API's. A body that was lost on the way contradicts nothing.
 */
function writeOutcomeOfSuccess(result: Answered, recordKey: string): WriteOutcome {
  if (isWebPage(result)) return 'outcome_unknown';
  if (result.kind === 'body_lost' || result.body === 'empty') return 'applied';
  if (typeof result.body === 'string') return 'outcome_unknown';
  if (/problem\+json/.test(result.headers.contentType ?? '')) return 'not_applied';
  const said = assessBody(result.body.json, recordKey);
  if (said === 'denied') return 'not_applied';
  return said === 'unclear' ? 'outcome_unknown' : 'applied';
}

/** Whether a 2xx in JSON has a message that may deny the write. */
export function isDoubtfulAnswer(result: AttemptResult, recordKey: string): boolean {
  const isSuccess = 'status' in result && result.status >= 200 && result.status < 300;
  const json = jsonOf(result);
  return isSuccess && json !== undefined && assessBody(json, recordKey) === 'unclear';
}

/** The key of the record in the operation's answer; empty if it has none. */
export function recordKeyOf({ response }: Operation): string {
  return response.kind === 'record' ? response.key : '';
}

/**
 * The outcome of a write, as far as status and body of its last attempt prove it. A write that was refused or not sent
 * was not applied. Gateways answer 408, 3xx and 5xx whether or not the platform did the work. `recordKey`: the key of
 * the record in the operation's answer.
 */
export function writeOutcomeOf(result: AttemptResult, recordKey = ''): WriteOutcome {
  if (result.kind === 'not_sent') return 'not_applied';
  if (result.kind === 'no_answer') return 'outcome_unknown';
  if (result.status >= 200 && result.status < 300) return writeOutcomeOfSuccess(result, recordKey);
  const isRefusal = result.status >= 400 && result.status < 500 && result.status !== 408;
  return isRefusal ? 'not_applied' : 'outcome_unknown';
}
