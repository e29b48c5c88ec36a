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

/** Which fields of a write the platform accepted, as its answer shows. */
export interface AcceptedFields {
  readonly outcome: WriteOutcome;
  /** Fields whose value in the answer differs from what was sent, with that value in words. */
  readonly unchanged: Readonly<Record<string, string>>;
  /** Whether the fields prove the outcome, even if a message of the answer may deny the write. */
  readonly decides: boolean;
}

/** What an answer says about a write besides its record: how it was applied, or which fields were not. */
export interface WriteNote {
  /** False if this call sent nothing. */
  readonly sent: boolean;
  /** Whether nothing was sent because the record of a create was there before. */
  readonly isAlreadyThere?: true;
  readonly text: string;
  /** What the answer shows of the fields that were sent; see `AcceptedFields`. */
  readonly acceptedFields?: AcceptedFields;
}

/** The note of a write whose answer shows other values than were sent; undefined if there are none. */
export function noteOf(accepted: AcceptedFields): WriteNote | undefined {
  const names = Object.keys(accepted.unchanged);
  if (names.length === 0) return undefined;
  const list = names.join(', ');
  const text = {
    applied: `the API accepted the change, but shows other values than were sent: ${list}`,
    not_applied: `the API answered without an error, but shows that it accepted none of it: ${list}`,
    outcome_unknown: `the API answered without an error, but does not show what was sent: ${list}; it is not known whether the change was made`,
  }[accepted.outcome];
  return { sent: true, text, acceptedFields: accepted };
}
