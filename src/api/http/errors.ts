import type { Operation } from '../../contract/operation.ts';
import {
  AcademyError,
  ApiError,
  type ErrorCode,
  type ErrorDetails,
  OutcomeUnknownError,
  RateLimitedError,
} from '../../shared/errors.ts';
import { isObject } from '../../shared/json.ts';
import { writeOutcomeOf } from '../writes/write-outcome.ts';
import { type AnswerLimit, answerLimitWords } from './answer-limits.ts';
import { isWebPage, jsonOf, type Outcome } from './attempt-result.ts';
import { apiWordsOf, supportedFieldsIn, textOf } from './error-body.ts';

type Answered = Extract<Outcome, { status: number }>;
type Unanswered = Exclude<Outcome, { status: number }>;

interface ErrorBody {
  apiCode: string | undefined;
  apiMessage: string | undefined;
  supportedFields: readonly string[] | undefined;
  requestId: string | undefined;
}

function readErrorBody(outcome: Answered): ErrorBody {
  const json = jsonOf(outcome);
  const { code, message } = apiWordsOf(json);
  return {
    apiCode: code,
    apiMessage: message ?? (outcome.kind === 'answered' ? textOf(outcome.said)?.slice(0, 200) : undefined),
    supportedFields: supportedFieldsIn(json),
    requestId: (isObject(json) ? textOf(json.request_id) : undefined) ?? outcome.headers.requestId,
  };
}

const codesByStatus: Record<number, ErrorCode> = { 401: 'unauthorized', 403: 'forbidden' };

/** A web page, or where access is refused any text that is not JSON: a proxy or firewall has answered. */
export function isForeign(outcome: Answered): boolean {
  const isText = outcome.kind === 'answered' && outcome.body === 'not_json';
  return isWebPage(outcome) || (isText && (outcome.status === 401 || outcome.status === 403));
}

/** "NOT_FOUND" and "notFound" are the code of the document. */
function isNotFound(apiCode: string): boolean {
  return /^(notfound|404)$/.test(apiCode.toLowerCase().replaceAll(/[ _-]/g, ''));
}

/**
 * Whether a 404 says that there is no such record. One of another code, one that speaks of the endpoint, and one that is not JSON
 * say nothing of the record. API document: "Errors".
 */
function isAbsence(outcome: Answered, { apiCode, apiMessage = '' }: ErrorBody): boolean {
  if (outcome.status !== 404 || jsonOf(outcome) === undefined) return false;
  return apiCode === undefined ? !/\b(endpoint|route|routing|url)\b/i.test(apiMessage) : isNotFound(apiCode);
}

function codeFor(outcome: Answered, body: ErrorBody): ErrorCode {
  const { status } = outcome;
  const { apiCode } = body;
  if (status >= 400 && status < 500 && status !== 408 && isForeign(outcome)) return 'unexpected_response';
  if (status === 404) return isAbsence(outcome, body) ? 'not_found' : 'unexpected_response';
  const known = codesByStatus[status];
  if (known !== undefined) return known;
  if (status === 408) return 'timeout';
  if (status === 422 && apiCode === 'invalid_fields') return 'invalid_fields';
  if (status >= 500) return 'api_unavailable';
  return status >= 400 ? 'unprocessable' : 'unexpected_response';
}

const hints: Partial<Record<ErrorCode, string>> = {
  unauthorized:
    'The key is missing, wrong or of another account: check ACADEMY_API_KEY, ACADEMY_BASE_URL and ACADEMY_AUTH_SCHEME.',
  forbidden:
    'The key is not of an admin, or this admin may not do that; get_account shows what this account allows (capabilities).',
  not_found: 'Check the id, slug or email: a list or search tool shows the right ones.',
  invalid_fields: 'Use only fields that this kind of record supports.',
  unprocessable: 'Correct what the message names and call again.',
  api_unavailable: 'The platform has trouble; try again in a minute.',
  unexpected_response: 'Check that ACADEMY_BASE_URL is the address of the account, with https and without a redirect.',
};

/** How an answer of an error status is called. */
function answeredWith(outcome: Answered, { apiCode }: ErrorBody): string {
  const { status } = outcome;
  if (status === 404 && isWebPage(outcome))
    return "the answer was 404 with a web page, and not the API's JSON: it could not be read";
  if (isForeign(outcome))
    return `a proxy or firewall answered ${status} with ${isWebPage(outcome) ? 'a web page' : 'a text'}, not the API`;
  if (status !== 404) return `the API answered ${status}`;
  if (outcome.kind === 'body_lost') return 'the API answered 404, and its body was lost on the way';
  if (jsonOf(outcome) === undefined) return 'the API answered 404 without saying in JSON what was not found';
  return apiCode === undefined || isNotFound(apiCode)
    ? 'the API answered 404'
    : `the API answered 404 with code ${apiCode}`;
}

const pageHint =
  'This says nothing of the key or the record. Try again later; if it stays so, the one who runs this server should look at what stands between it and the platform.';
const unreadHint =
  'Whether there is such a record is not known: it could not be read. Check that ACADEMY_BASE_URL is the address of the account and that its plan has this part of the API.';

function hintFor(outcome: Answered, code: ErrorCode): string | undefined {
  if (isForeign(outcome)) return outcome.status >= 500 ? hints.api_unavailable : pageHint;
  return outcome.status === 404 && code !== 'not_found' ? unreadHint : hints[code];
}

/** Where an agent looks after a write of unknown outcome. */
function placeToLook({ checkWith = 'a read tool' }: Operation): string {
  return checkWith;
}

/** A 2xx that says nothing of a write. */
function withoutProof(outcome: Answered): string {
  if (isWebPage(outcome)) return `a web page was answered with ${outcome.status}, and not the API's JSON`;
  const isJson = jsonOf(outcome) !== undefined;
  return `the API answered ${outcome.status} ${isJson ? 'in words that may say either' : 'with a body that is not JSON'}`;
}

function whyUnknown(outcome: Outcome | undefined): string {
  if (outcome === undefined) return 'an equal call before had no known outcome, and its effect is not to be seen';
  if ('status' in outcome)
    return outcome.status < 300 ? withoutProof(outcome) : answeredWith(outcome, readErrorBody(outcome));
  if (outcome.kind === 'not_sent') return `the API cannot be reached (${outcome.reason})`;
  return outcome.timedOut ? 'the API did not answer in time' : `the connection broke (${outcome.reason})`;
}

/**
 * The error of a write that was sent and whose effect was not seen. `outcome` is undefined where an equal call was only
 * looked for; `blockedMs` is how long that goes on.
 */
export function unknownOutcome(operation: Operation, outcome: Outcome | undefined, blockedMs: number): AcademyError {
  const seconds = Math.ceil(blockedMs / 1000);
  const reason = whyUnknown(outcome);
  const message = `${reason}; whether the change was made is not known. Do not repeat it: first check with ${placeToLook(operation)}`;
  const hint = `For ${seconds} s an equal call only looks whether it was done and sends nothing; after that it is sent anew.`;
  const cause = outcome !== undefined && 'status' in outcome ? apiErrorOf(outcome) : undefined;
  return new OutcomeUnknownError(reason, seconds, message, { hint, cause });
}

function apiErrorOf(outcome: Answered): ApiError {
  const body = readErrorBody(outcome);
  const code = codeFor(outcome, body);
  return new ApiError(
    code,
    answeredWith(outcome, body),
    { status: outcome.status, ...body },
    { hint: hintFor(outcome, code) },
  );
}

export function errorOfAnswer(operation: Operation, outcome: Answered, retryAfterMs: number | undefined): AcademyError {
  const body = readErrorBody(outcome);
  const { status } = outcome;
  const isWrite = operation.effect !== 'read';
  if (status === 429) {
    const seconds = Math.ceil((retryAfterMs ?? 60_000) / 1000);
    return new RateLimitedError('the API refused the request: the limit of the account is used up', seconds, {
      ...(isWrite ? { outcome: 'not_applied' as const } : {}),
      cause: new ApiError('rate_limited', 'the API answered 429', { status, ...body }),
    });
  }
  const code = codeFor(outcome, body);
  const hint = hintFor(outcome, code);
  const details: ErrorDetails = { hint, ...(isWrite ? { outcome: writeOutcomeOf(outcome) } : {}) };
  return new ApiError(code, answeredWith(outcome, body), { status, ...body }, details);
}

/** The error of a write that was answered with a 2xx which denies it. */
export function errorOfDenial(outcome: Answered): AcademyError {
  const details = { hint: hints.unprocessable, outcome: 'not_applied' as const };
  const message = `the API answered ${outcome.status}, but says that it was not done`;
  return new ApiError('not_applied', message, { status: outcome.status, ...readErrorBody(outcome) }, details);
}

/** The error of a call that got no answer. A write that was sent is no matter of this: see `unknownOutcome`. */
export function errorOfSilence(operation: Operation, outcome: Unanswered): AcademyError {
  if (outcome.kind === 'not_sent') return outcome.error ?? notSent(operation, outcome.reason);
  const hint = outcome.timedOut ? 'Try again, or raise ACADEMY_TIMEOUT_MS.' : 'Try again in a minute.';
  return new AcademyError(outcome.timedOut ? 'timeout' : 'api_unavailable', whyUnknown(outcome), { hint });
}

function notSent(operation: Operation, reason: string): AcademyError {
  return new AcademyError('api_unavailable', `the API cannot be reached (${reason}); nothing was sent`, {
    hint: 'Check ACADEMY_BASE_URL and the network, then try again.',
    ...(operation.effect === 'read' ? {} : { outcome: 'not_applied' as const }),
  });
}

/** The error of a read that was answered with a 2xx and no JSON. */
export function unreadableAnswer(status: number, outcome?: Answered): AcademyError {
  const isCut = outcome?.kind === 'body_lost';
  const isPage = outcome !== undefined && isWebPage(outcome);
  const what = isPage ? `a web page was answered with ${status}, and not the API's JSON` : '';
  const other = `the API answered ${status}, but its body is ${isCut ? 'cut' : 'not JSON'}`;
  return new AcademyError('unexpected_response', what || other, {
    hint: isCut ? hints.api_unavailable : hints.unexpected_response,
  });
}

/** The error of a read whose answer exceeds a limit and was not parsed. */
export function oversizedAnswer(status: number, exceeded: AnswerLimit): AcademyError {
  const message = `the API answered ${status}, but its body holds ${answerLimitWords[exceeded]}, so it was not read`;
  return new AcademyError('unexpected_response', message, {
    hint: 'Ask for less, with filters or pages if the tool has them. Otherwise check that ACADEMY_BASE_URL is the address of the account.',
  });
}

/** The error of a call whose client did not wait for its end. */
export function cancelled(operation: Operation): AcademyError {
  if (operation.effect === 'read') return new AcademyError('cancelled', 'the call was cancelled');
  const message = 'the call was cancelled; if the request had been sent already, it is finished all the same';
  return new AcademyError('cancelled', message, { outcome: 'outcome_unknown' });
}
