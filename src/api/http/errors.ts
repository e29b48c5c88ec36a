import type { Operation } from '../../contract/operation.ts';
import { oneLine } from '../../shared/clean-text.ts';
import {
  AcademyError,
  ApiError,
  type ErrorCode,
  type ErrorDetails,
  OutcomeUnknownError,
  RateLimitedError,
} from '../../shared/errors.ts';
import { isObject } from '../../shared/json.ts';
import { quoted } from '../../shared/quote-text.ts';
import { writeOutcomeOf } from '../writes/write-outcome.ts';
import { type AnswerLimit, type AttemptResult, answerLimitText, isWebPage, jsonOf } from './attempt-result.ts';

const maxApiText = 500;
const maxCode = 60;
const maxReasons = 10;
const deepest = 4;

const messageKeys = ['message', 'error', 'detail', 'details', 'error_description', 'error_message', 'reason', 'title'];

/** A text on one line, not yet cut; undefined for an empty text or another type. */
function lineOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? oneLine(value, Number.MAX_SAFE_INTEGER) : undefined;
}

/** "title: can't be blank" for `{title: ["can't be blank"]}`. Rails uses `base` for a whole record. */
function ofField(name: string, reason: string): string {
  return /^(base|\d+)$/.test(name) ? reason : `${oneLine(name, maxCode)}: ${reason}`;
}

/** The reasons in an error of any form: a text, a list, an object with a message, or a list per field. */
function reasonsIn(value: unknown, depth = 0): string[] {
  const text = lineOf(value);
  if (text !== undefined) return [text];
  if (depth > deepest) return [];
  if (Array.isArray(value)) return value.slice(0, maxReasons).flatMap((entry) => reasonsIn(entry, depth + 1));
  if (!isObject(value)) return [];
  const said = messageKeys.flatMap((key) => (lineOf(value[key]) === undefined ? [] : [lineOf(value[key]) ?? '']));
  const own = said.slice(0, 1);
  const inner = value.errors === undefined ? [] : reasonsIn(value.errors, depth + 1);
  if (own.length > 0 || inner.length > 0) return [...own, ...inner];
  // A code or a pointer beside the message is not a reason.
  const fields = Object.entries(value).filter(([name]) => !['code', 'status', 'source', 'id'].includes(name));
  return fields.flatMap(([name, entry]) => reasonsIn(entry, depth + 1).map((reason) => ofField(name, reason)));
}

/** Joins the reasons, each once: the document's `error` often repeats the message of the first of `errors`. */
function joined(reasons: readonly string[]): string | undefined {
  const each = [...new Set(reasons)].slice(0, maxReasons);
  if (each.length === 0) return undefined;
  const [first = '', ...others] = each;
  const rest = others.filter((reason) => !first.includes(reason));
  return oneLine(rest.length === 0 ? first : `${first.replace(/[.:]$/, '')}: ${rest.join('; ')}`, maxApiText);
}

/** An error such as "endpoint_not_available" is a code, not a sentence. */
const codePattern = /^[a-z0-9]+(_[a-z0-9]+)+$/i;

function codeIn(body: Record<string, unknown>): string | undefined {
  const { error, errors } = body;
  const listed: unknown = Array.isArray(errors) ? errors.find(isObject) : errors;
  const places = [listed, body, error].filter(isObject);
  const codes = places.flatMap(({ code }) => lineOf(code) ?? []);
  const bare = [error, body.status, body.type].flatMap((value) => lineOf(value) ?? []);
  return (codes[0] ?? bare.find((text) => codePattern.test(text)))?.slice(0, maxCode);
}

/** The code and message of an error body. API document: "Errors". Other forms are accepted too. */
export function parseErrorBody(body: unknown): {
  readonly code?: string | undefined;
  readonly message?: string | undefined;
} {
  if (!isObject(body)) return { code: undefined, message: joined(reasonsIn(body)) };
  const error = reasonsIn(body.error);
  const beside = messageKeys.flatMap((key) => (key === 'error' ? [] : (lineOf(body[key]) ?? []))).slice(0, 1);
  const message = joined([...error, ...beside, ...reasonsIn(body.errors)]);
  const inner = message === undefined && isObject(body.data) ? parseErrorBody(body.data) : undefined;
  return { code: codeIn(body) ?? inner?.code, message: message ?? inner?.message };
}

const reasonKeys = /^(errors?|messages?|details?|warnings)$/i;

/**
 * The list of supported fields. The document promises it but does not give its key, so this takes any array of strings,
 * except those that are reasons: in `errors: {title: ["is invalid"]}` the lists are, in `errors: [{supported: [...]}]` not.
 */
function supportedFieldsIn(body: unknown, key = ''): readonly string[] | undefined {
  const isReason = reasonKeys.test(key);
  if (Array.isArray(body) && body.length > 0 && body.every((entry) => typeof entry === 'string'))
    return isReason ? undefined : body.slice(0, 50).map((entry: string) => oneLine(entry, maxCode));
  const entries = Array.isArray(body) ? body.map((entry) => ['', entry] as const) : Object.entries(body ?? {});
  const open =
    isReason && isObject(body) ? entries.filter(([name]) => /support|allow|permit|valid/i.test(name)) : entries;
  for (const [name, value] of open) {
    const found = isObject(value) || Array.isArray(value) ? supportedFieldsIn(value, name) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

const trust =
  'If you trust it, set NODE_EXTRA_CA_CERTS to the full path of a PEM file with the certificate of the server or of its authority, then start this program again.';

/** What Node's error code says about the certificate of a server, and what to do. */
const certificateProblems: Record<string, readonly [problem: string, hint: string]> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: ['its certificate is self-signed', trust],
  SELF_SIGNED_CERT_IN_CHAIN: ['its certificate chain ends in a self-signed certificate', trust],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: ['the authority of its certificate is not known', trust],
  UNABLE_TO_GET_ISSUER_CERT: ['the authority of its certificate is not known', trust],
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: ['the authority of its certificate is not known', trust],
  CERT_HAS_EXPIRED: ['its certificate has expired', 'The operator of the server must renew it.'],
  ERR_TLS_CERT_ALTNAME_INVALID: [
    'its certificate is for another host name',
    'Check that ACADEMY_BASE_URL is the address of the account.',
  ],
};

type Answered = Extract<AttemptResult, { status: number }>;
type Unanswered = Exclude<AttemptResult, { status: number }>;

type ErrorBody = ReturnType<typeof readErrorBody>;

function readErrorBody(result: Answered) {
  const json = jsonOf(result);
  const { code, message } = parseErrorBody(json);
  return {
    apiCode: code,
    apiMessage: message ?? (result.kind === 'answered' ? lineOf(result.errorText)?.slice(0, 200) : undefined),
    supportedFields: supportedFieldsIn(json),
    requestId: (isObject(json) ? lineOf(json.request_id) : undefined) ?? result.headers.requestId,
  };
}

const codesByStatus: Record<number, ErrorCode> = { 401: 'unauthorized', 403: 'forbidden' };

/** Whether a proxy or firewall answered: a web page, or for a 401 or 403 any text that is not JSON. */
export function isFromProxy(result: Answered): boolean {
  const isText = result.kind === 'answered' && result.body === 'not_json';
  return isWebPage(result) || (isText && (result.status === 401 || result.status === 403));
}

/** "NOT_FOUND" and "notFound" are the documented code. */
function isNotFound(apiCode: string): boolean {
  return /^(notfound|404)$/.test(apiCode.toLowerCase().replaceAll(/[ _-]/g, ''));
}

/**
 * Whether a 404 says that the record does not exist. A 404 with another code, about an endpoint, or not in JSON says
 * nothing about the record. API document: "Errors".
 */
function isAbsence(result: Answered, { apiCode, apiMessage = '' }: ErrorBody): boolean {
  if (result.status !== 404 || jsonOf(result) === undefined) return false;
  return apiCode === undefined ? !/\b(endpoint|route|routing|url)\b/i.test(apiMessage) : isNotFound(apiCode);
}

function codeFor(result: Answered, body: ErrorBody): ErrorCode {
  const { status } = result;
  const { apiCode } = body;
  if (status >= 400 && status < 500 && status !== 408 && isFromProxy(result)) return 'unexpected_response';
  if (status === 404) return isAbsence(result, body) ? 'not_found' : 'unexpected_response';
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
    "The key is not an admin's, or this admin may not do that; get_account shows what this account allows (capabilities).",
  not_found: 'Check the id, slug or email: a list or search tool shows the right ones.',
  invalid_fields: 'Use only fields that this kind of record supports.',
  unprocessable: 'Correct what the message names and call again.',
  api_unavailable: 'The platform has a problem; try again in a minute.',
  unexpected_response: 'Check that ACADEMY_BASE_URL is the address of the account, with https and without a redirect.',
};

/** Names where a redirect leads, without its query, which may hold a token. */
function redirected({ status, headers }: Answered): string {
  const target = headers.location === undefined ? '' : headers.location.replace(/[?#].*$/s, '');
  const said = `the answer was a redirect (${status})`;
  return target === '' ? `${said}, which is not followed` : `${said} to ${quoted(oneLine(target, 200))}`;
}

function answeredWith(result: Answered, { apiCode }: ErrorBody): string {
  const { status } = result;
  if (status >= 300 && status < 400) return redirected(result);
  if (status === 404 && isWebPage(result))
    return "the answer was 404 with a web page instead of the API's JSON: it could not be read";
  if (isFromProxy(result))
    return `a proxy or firewall answered ${status} with ${isWebPage(result) ? 'a web page' : 'a text'}, not the API`;
  if (status !== 404) return `the API answered ${status}`;
  if (result.kind === 'body_lost') return 'the API answered 404, and its body was lost on the way';
  if (jsonOf(result) === undefined) return 'the API answered 404 without JSON that says what was not found';
  return apiCode === undefined || isNotFound(apiCode)
    ? 'the API answered 404'
    : `the API answered 404 with code ${apiCode}`;
}

const pageHint =
  'This says nothing about the key or the record. Try again later. If it persists, the operator of this server should check the proxies and firewalls before the platform.';
const unreadHint =
  'It is not known whether the record exists: it could not be read. Check that ACADEMY_BASE_URL is the address of the account and that its plan includes this part of the API.';

function hintFor(result: Answered, code: ErrorCode): string | undefined {
  if (isFromProxy(result)) return result.status >= 500 ? hints.api_unavailable : pageHint;
  return result.status === 404 && code !== 'not_found' ? unreadHint : hints[code];
}

/** Where an agent checks after a write of unknown outcome. */
const placeToCheck = ({ checkWith = 'a read tool' }: Operation) => checkWith;

function withoutProof(result: Answered): string {
  if (isWebPage(result)) return `the answer was ${result.status} with a web page instead of the API's JSON`;
  const isJson = jsonOf(result) !== undefined;
  return `the API answered ${result.status} ${isJson ? 'with a message that may deny the change' : 'with a body that is not JSON'}`;
}

function whyUnknown(result: AttemptResult | undefined): string {
  if (result === undefined) return 'an identical earlier call has an unknown outcome, and its effect is not visible';
  if ('status' in result)
    return result.status < 300 ? withoutProof(result) : answeredWith(result, readErrorBody(result));
  if (result.kind === 'not_sent') return `the API cannot be reached (${result.reason})`;
  return result.timedOut ? 'the API did not answer in time' : `the connection broke (${result.reason})`;
}

/**
 * The error of a write whose effect was not seen after it was sent. `result` is undefined if the call only looked for
 * the effect of an identical call. `blockedMs`: how long identical calls send nothing.
 */
export function unknownOutcomeError(
  operation: Operation,
  result: AttemptResult | undefined,
  blockedMs: number,
): AcademyError {
  const seconds = Math.ceil(blockedMs / 1000);
  const reason = whyUnknown(result);
  const message = `${reason}; it is not known whether the change was made. Do not repeat it: first check with ${placeToCheck(operation)}`;
  const hint = `For ${seconds} s an identical call only checks for the effect and sends nothing. After that it is sent again.`;
  const cause = result !== undefined && 'status' in result ? apiErrorOf(result) : undefined;
  return new OutcomeUnknownError(reason, seconds, message, { hint, cause });
}

/** The error of a write that was not sent, because an identical one on another replica has not ended for too long. */
export function notEndedElsewhereError(operation: Operation, blockedMs: number): AcademyError {
  const seconds = Math.ceil(blockedMs / 1000);
  const reason = 'an identical call on another replica has not ended';
  const message = `${reason}, so nothing was sent now. It is not known whether the change was made: check with ${placeToCheck(operation)}`;
  const hint = `For up to ${seconds} s an identical call waits for the other one. After that it is sent again.`;
  return new OutcomeUnknownError(reason, seconds, message, { hint });
}

function apiErrorOf(result: Answered, details: ErrorDetails = {}): ApiError {
  const body = readErrorBody(result);
  const code = codeFor(result, body);
  const hint = hintFor(result, code);
  return new ApiError(code, answeredWith(result, body), { status: result.status, ...body }, { hint, ...details });
}

export function responseError(operation: Operation, result: Answered, retryAfterMs: number | undefined): AcademyError {
  const { status } = result;
  const isWrite = operation.effect !== 'read';
  if (status !== 429) return apiErrorOf(result, isWrite ? { outcome: writeOutcomeOf(result) } : {});
  const seconds = Math.ceil((retryAfterMs ?? 60_000) / 1000);
  return new RateLimitedError('the API refused the request: the limit of the account is used up', seconds, {
    ...(isWrite ? { outcome: 'not_applied' as const } : {}),
    cause: new ApiError('rate_limited', 'the API answered 429', { status, ...readErrorBody(result) }),
  });
}

/** The error of a write that the API answered with a 2xx that denies it. */
export function deniedWriteError(result: Answered): AcademyError {
  const details = { hint: hints.unprocessable, outcome: 'not_applied' as const };
  const message = `the API answered ${result.status}, but says that it was not done`;
  return new ApiError('not_applied', message, { status: result.status, ...readErrorBody(result) }, details);
}

/** The error of a call without an answer. For a write that was sent, see `unknownOutcomeError`. */
export function noResponseError(operation: Operation, result: Unanswered): AcademyError {
  if (result.kind === 'not_sent') return result.error ?? notSent(operation, result.reason);
  const hint = result.timedOut ? 'Try again, or raise ACADEMY_TIMEOUT_MS.' : 'Try again in a minute.';
  return new AcademyError(result.timedOut ? 'timeout' : 'api_unavailable', whyUnknown(result), { hint });
}

function notSent(operation: Operation, reason: string): AcademyError {
  const [problem, hint = 'Check ACADEMY_BASE_URL and the network, then try again.'] = certificateProblems[reason] ?? [];
  const why = problem === undefined ? reason : `${reason}: ${problem}`;
  return new AcademyError('api_unavailable', `the API cannot be reached (${why}); nothing was sent`, {
    hint,
    ...(operation.effect === 'read' ? {} : { outcome: 'not_applied' as const }),
  });
}

/** The error of a read that got a 2xx without JSON. */
export function unreadableResponseError(result: Answered): AcademyError {
  const { status } = result;
  const isCut = result.kind === 'body_lost';
  const what = isWebPage(result)
    ? `the answer was ${status} with a web page instead of the API's JSON`
    : `the API answered ${status}, but its body is ${isCut ? 'cut' : 'not JSON'}`;
  return new AcademyError('unexpected_response', what, {
    hint: isCut ? hints.api_unavailable : hints.unexpected_response,
  });
}

/** The error of a read whose answer exceeds a limit and was not parsed. */
export function oversizedResponseError(status: number, exceeded: AnswerLimit): AcademyError {
  const message = `the API answered ${status}, but its body holds ${answerLimitText[exceeded]}, so it was not read`;
  return new AcademyError('unexpected_response', message, {
    hint: 'Ask for less, with filters or pages if the tool has them. Otherwise check that ACADEMY_BASE_URL is the address of the account.',
  });
}

export function cancelledError(operation: Operation): AcademyError {
  if (operation.effect === 'read') return new AcademyError('cancelled', 'the call was cancelled');
  const message = 'the call was cancelled; if the request had already been sent, it still finishes';
  return new AcademyError('cancelled', message, { outcome: 'outcome_unknown' });
}
