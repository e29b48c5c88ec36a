import type { ResponseSchema } from '../../contract/schemas/response.ts';
import type { WriteOutcome } from '../../shared/errors.ts';
import { isNothing, isObject, type Json } from '../../shared/json.ts';
import { type Answered, type AttemptResult, headerOf, isWebPage } from '../http/attempt-result.ts';

// What the status and the body of an answer prove of a write. judge-answer.ts compares its fields with what was sent.
// Errors, `success: false` and a status of failure deny. A sentence that may deny leaves the outcome open.

const successKey = /^(is_?|was_?)?(success(ful)?|succeeded|ok)$/i;
const errorKey = /^(has_?)?errors?$/i;
const statusKey = /^(status|result|outcome|status_?code)$/i;
const undoneKey =
  /^(updated|saved|created|changed|applied|modified|enrolled|granted|revoked|removed|performed|executed|affected(_?(rows|count))?)$/i;
/** The work was not done, or not yet. */
const insteadKey = /^(is_?)?(dry_?run|simulat(ed|ion)|preview|no_?op|queued|pending|scheduled|deferred|async)$/i;
const insteadWord = /^(dry[_-]?run|no[_-]?op|queued|pending|scheduled|deferred|processing|skipped|ignored|unchanged)$/i;
const messageKey = /^(status_?|user_?)?(messages?|msg|notices?|details?|reason|text|warnings?|alert|info)$/i;
/** Keys of such a sentence in a body without a record. */
const sentenceKey = /^(status|result|outcome|data|response|body|description|note)$/i;

const failure = /^(false|errors?|fail(ed|ure)?|denied|refused|rejected|invalid|forbidden)$/i;
const success = /^(ok|success(ful)?|done|true|created|updated|accepted|0|2\d\d)$/i;

const doubtfulWords =
  /\b(not?|none|nothing|never|cannot|unable|\w+n['’]t|fail(s|ed|ure)?|errors?|wrong|invalid|denied|declined|refused|rejected|ignored|skipped|forbidden|missing|unknown|rolled back|must|required|already|sorry)\b|^0 /i;

const isFalse = (value: unknown) => /^(false|0)$/i.test(String(value));
const isTrue = (value: unknown) => /^(true|1)$/.test(String(value));

/** A record has an id, an email or a slug. Its `status` is its own, not the request's. */
const isRecord = (body: Json) => ['id', 'email', 'slug'].some((key) => key in body);

function isFailure(value: unknown): boolean {
  if (typeof value === 'string') return failure.test(value.trim());
  return value === false || (typeof value === 'number' && value >= 400 && value < 600);
}

/** What one field of an answer says of its request; undefined if nothing. `isOwn`: it is beside a record. */
function saidBy(key: string, value: unknown, isOwn: boolean): 'done' | 'denied' | 'not_done' | 'doubtful' | undefined {
  if (successKey.test(key)) return isFalse(value) ? 'denied' : isTrue(value) ? 'done' : undefined;
  if (errorKey.test(key)) return isNothing(value) ? undefined : 'denied';
  if (undoneKey.test(key)) return isFalse(value) ? 'not_done' : undefined;
  if (insteadKey.test(key)) return isNothing(value) ? undefined : 'not_done';
  if (statusKey.test(key)) {
    // No documented record has the status "error".
    if (isOwn) return value === 'error' ? 'denied' : undefined;
    if (isFailure(value)) return 'denied';
    if (typeof value === 'string' && insteadWord.test(value.trim())) return 'not_done';
  }
  if (key === 'code') return isOwn || isNothing(value) || success.test(String(value)) ? undefined : 'doubtful';
  if (!messageKey.test(key) && (isOwn || !sentenceKey.test(key))) return undefined;
  return [value].flat().some((text) => typeof text === 'string' && doubtfulWords.test(text)) ? 'doubtful' : undefined;
}

/** The body, and the objects in it that hold the record or are the only field. */
function partsOf(body: Json, recordKey: string, depth = 2): Json[] {
  const entries = Object.entries(body);
  const inner = entries.filter(([key]) => ['data', 'result', recordKey].includes(key) || entries.length === 1);
  const below = depth === 0 ? [] : inner.flatMap(([, value]) => (isObject(value) ? [value] : []));
  return [body, ...below.flatMap((part) => partsOf(part, recordKey, depth - 1))];
}

/** Judges the JSON of a 2xx to a write: denied, possibly denied, or nothing against it. `recordKey`: the key of its record. */
function assessBody(json: unknown, recordKey: string): WriteOutcome {
  if (json === false || (typeof json === 'string' && failure.test(json.trim()))) return 'not_applied';
  if (typeof json === 'string') return json.trim() === '' || success.test(json.trim()) ? 'applied' : 'outcome_unknown';
  if (Array.isArray(json) && json.some((entry) => typeof entry === 'string')) return 'outcome_unknown';
  const parts = [json].flat().flatMap((entry) => (isObject(entry) ? partsOf(entry, recordKey) : []));
  const said = parts.flatMap((part) => Object.entries(part).map(([key, value]) => saidBy(key, value, isRecord(part))));
  if (said.includes('denied')) return 'not_applied';
  // A body that says that nothing was done yet outweighs its `success: true`.
  const isUnclear = said.includes('not_done') || (said.includes('doubtful') && !said.includes('done'));
  return json === 0 || isUnclear ? 'outcome_unknown' : 'applied';
}

/** Whether a body reports by `success: false` or the like that the request was not done. */
export function reportsFailure(body: Json): boolean {
  return Object.entries(body).some(([key, value]) => successKey.test(key) && isFalse(value));
}

export function containsError(body: Json): boolean {
  return Object.entries(body).some(([key, value]) => errorKey.test(key) && !isNothing(value));
}

/** A 2xx is applied unless JSON denies it or the body is not the API's. A body that was lost contradicts nothing. */
function outcomeOfSuccess(result: Answered, response: ResponseSchema | undefined): WriteOutcome {
  if (result.body === 'text' || isWebPage(result)) return 'outcome_unknown';
  if (result.body !== 'json') return 'applied';
  if (/problem\+json/i.test(headerOf(result, 'content-type') ?? '')) return 'not_applied';
  return assessBody(result.json, response?.kind === 'record' ? response.key : '');
}

/** What status and body prove. Gateways answer 408, 3xx and 5xx whether or not the platform did the work. */
export function writeOutcomeOf(result: AttemptResult, response?: ResponseSchema): WriteOutcome {
  if (result.kind === 'not_sent') return 'not_applied';
  if (result.kind === 'no_answer') return 'outcome_unknown';
  const { status } = result;
  if (status >= 200 && status < 300) return outcomeOfSuccess(result, response);
  return status >= 400 && status < 500 && status !== 408 ? 'not_applied' : 'outcome_unknown';
}

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
