import type { Operation } from '../../contract/operation.ts';
import { oneLine } from '../../shared/clean-text.ts';
import {
  AcademyError,
  type ApiAnswer,
  ApiError,
  type ErrorCode,
  type ErrorDetails,
  OutcomeUnknownError,
  RateLimitedError,
  type WriteOutcome,
} from '../../shared/errors.ts';
import { isObject, type Json } from '../../shared/json.ts';
import { quoted } from '../../shared/quote-text.ts';
import {
  type Answered,
  type AttemptResult,
  answerLimitText,
  headerOf,
  isWebPage,
  requestIdOf,
  retryAfterOf,
  type Unanswered,
} from './attempt-result.ts';

const maxApiText = 500;
const maxCode = 60;
const maxReasons = 10;
const deepest = 4;

/** A text on one line, not yet cut; undefined for an empty text or another type. */
function lineOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? oneLine(value, Number.MAX_SAFE_INTEGER) : undefined;
}

const messageKeys = ['message', 'detail', 'details', 'error_description', 'error_message', 'reason', 'title'];

/** The reasons that an object states: its `error`, a message beside it, and its `errors`. */
function statedIn(body: Json, depth: number): string[] {
  const beside = messageKeys.flatMap((key) => lineOf(body[key]) ?? []).slice(0, 1);
  return [...reasonsIn(body.error, depth), ...beside, ...reasonsIn(body.errors, depth)];
}

/** "title: can't be blank" for `{title: ["can't be blank"]}`. Rails uses `base` for a whole record. */
function ofField(name: string, reason: string): string {
  return /^(base|\d+)$/.test(name) ? reason : `${oneLine(name, maxCode)}: ${reason}`;
}

/** The reasons in an error of any form: a text, a list, an object with a message, or a list per field. */
function reasonsIn(value: unknown, depth: number): string[] {
  const text = lineOf(value);
  if (text !== undefined) return [text];
  if (depth > deepest) return [];
  if (Array.isArray(value)) return value.slice(0, maxReasons).flatMap((entry) => reasonsIn(entry, depth + 1));
  if (!isObject(value)) return [];
  const stated = statedIn(value, depth + 1);
  if (stated.length > 0) return stated;
  // A code or a pointer beside the message is not a reason.
  const fields = Object.entries(value).filter(([name]) => !['code', 'status', 'source', 'id'].includes(name));
  return fields.flatMap(([name, entry]) => reasonsIn(entry, depth + 1).map((reason) => ofField(name, reason)));
}

/** Joins the reasons, each once: the document's `error` often repeats the message of the first of `errors`. */
function joined(reasons: readonly string[]): string | undefined {
  const [first, ...others] = [...new Set(reasons)].slice(0, maxReasons);
  if (first === undefined) return undefined;
  const rest = others.filter((reason) => !first.includes(reason));
  return oneLine(rest.length === 0 ? first : `${first.replace(/[.:]$/, '')}: ${rest.join('; ')}`, maxApiText);
}

/** An error such as "endpoint_not_available" is a code, not a sentence. */
const codePattern = /^[a-z0-9]+(_[a-z0-9]+)+$/i;

function codeIn({ error, errors, code, status, type }: Json): string | undefined {
  const listed: unknown = Array.isArray(errors) ? errors.find(isObject) : errors;
  const codes = [Object(listed).code, code, Object(error).code].flatMap((value) => lineOf(value) ?? []);
  const bare = [error, status, type].flatMap((value) => lineOf(value) ?? []);
  return (codes[0] ?? bare.find((text) => codePattern.test(text)))?.slice(0, maxCode);
}

type Stated = Pick<ApiAnswer, 'apiCode' | 'apiMessage'>;

/** The code and message of an error body. API document: "Errors". Other forms are accepted too. */
export function parseErrorBody(body: unknown): Stated {
  if (!isObject(body)) return { apiMessage: joined(reasonsIn(body, 0)) };
  const message = joined(statedIn(body, 0));
  const inner = message === undefined && isObject(body.data) ? parseErrorBody(body.data) : undefined;
  return { apiCode: codeIn(body) ?? inner?.apiCode, apiMessage: message ?? inner?.apiMessage };
}

/** Any list of strings: the document promises it without its key. Within reasons, its name must say what it is. */
function supportedFieldsIn(body: unknown, isReason = false): readonly string[] | undefined {
  for (const [name, value] of Object.entries(Object(body))) {
    if (typeof value !== 'object' || value === null) continue;
    const isWithinReason = isReason || /^(errors?|messages?|details?|warnings)$/i.test(name);
    const isList = Array.isArray(value) && value.length > 0 && value.every((entry) => typeof entry === 'string');
    if (isList && (!isWithinReason || /support|allow|permit|valid|fields/i.test(name)))
      return value.slice(0, 50).map((entry: string) => oneLine(entry, maxCode));
    const found = supportedFieldsIn(value, isWithinReason);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The message in an error body that is not JSON: the text itself, or the title of a web page. */
function messageIn({ text = '' }: Answered): string | undefined {
  const [, title] = /<title[^>]*>([^<]*)/i.exec(text) ?? [];
  return lineOf(title ?? (/^\s*</.test(text) ? '' : text))?.slice(0, 200);
}

function readError(result: Answered) {
  const { status, json } = result;
  const { apiCode, apiMessage = messageIn(result) } = parseErrorBody(json);
  const requestId = (isObject(json) ? lineOf(json.request_id) : undefined) ?? requestIdOf(result);
  return { status, apiCode, apiMessage, supportedFields: supportedFieldsIn(json), requestId };
}

/** Whether a proxy or firewall answered: a web page, or for a 401 or 403 any text that is not JSON. */
export function isFromProxy(result: Answered): boolean {
  return isWebPage(result) || (result.body === 'text' && (result.status === 401 || result.status === 403));
}

/** "NOT_FOUND" and "notFound" are the documented code. */
function isNotFound(apiCode: string): boolean {
  return /^(notfound|404)$/.test(apiCode.toLowerCase().replaceAll(/[ _-]/g, ''));
}

/** Whether a 404 says that the record does not exist: with another code, about an endpoint or not in JSON it does not. */
function isAbsence({ body }: Answered, { apiCode, apiMessage = '' }: Stated): boolean {
  if (body !== 'json') return false;
  return apiCode === undefined ? !/\b(endpoint|route|routing|url)\b/i.test(apiMessage) : isNotFound(apiCode);
}

const codesByStatus: Record<number, ErrorCode> = { 401: 'unauthorized', 403: 'forbidden', 408: 'timeout' };

function codeFor(result: Answered, said: Stated): ErrorCode {
  const { status } = result;
  if (status < 400 || (status < 500 && status !== 408 && isFromProxy(result))) return 'unexpected_response';
  if (status === 404) return isAbsence(result, said) ? 'not_found' : 'unexpected_response';
  if (status === 422 && said.apiCode === 'invalid_fields') return 'invalid_fields';
  return status >= 500 ? 'api_unavailable' : (codesByStatus[status] ?? 'unprocessable');
}

const checkAddress = 'Check that ACADEMY_BASE_URL is the address of the account';

const hints: Partial<Record<ErrorCode, string>> = {
  unauthorized:
    'The key is missing, wrong or of another account: check ACADEMY_API_KEY, ACADEMY_BASE_URL and ACADEMY_AUTH_SCHEME.',
  forbidden:
    "The key is not an admin's, or this admin may not do that; get_account shows what this account allows (capabilities).",
  not_found: 'Check the id, slug or email: a list or search tool shows the right ones.',
  invalid_fields: 'Use only fields that this kind of record supports.',
  unprocessable: 'Correct what the message names and call again.',
  api_unavailable: 'The platform has a problem; try again in a minute.',
  unexpected_response: `${checkAddress}, with https and without a redirect.`,
};

const pageHint =
  'This says nothing about the key or the record. Try again later. If it persists, the operator of this server should check the proxies and firewalls before the platform.';
const unreadHint = `It is not known whether the record exists: it could not be read. ${checkAddress} and that its plan includes this part of the API.`;

function hintFor(result: Answered, code: ErrorCode): string | undefined {
  if (isFromProxy(result)) return result.status >= 500 ? hints.api_unavailable : pageHint;
  return result.status === 404 && code !== 'not_found' ? unreadHint : hints[code];
}

const pageInstead = (status: number) => `the answer was ${status} with a web page instead of the API's JSON`;

/** Names where a redirect leads, without its query, which may hold a token. */
function redirected(result: Answered): string {
  const target = headerOf(result, 'location')?.replace(/[?#].*$/s, '') ?? '';
  const said = `the answer was a redirect (${result.status})`;
  return target === '' ? `${said}, which is not followed` : `${said} to ${quoted(oneLine(target, 200))}`;
}

function answeredWith(result: Answered, { apiCode }: Stated): string {
  const { status, body } = result;
  if (status >= 300 && status < 400) return redirected(result);
  if (status === 404 && isWebPage(result)) return `${pageInstead(404)}: it could not be read`;
  if (isFromProxy(result))
    return `a proxy or firewall answered ${status} with ${isWebPage(result) ? 'a web page' : 'a text'}, not the API`;
  if (status !== 404) return `the API answered ${status}`;
  if (body === 'lost') return 'the API answered 404, and its body was lost on the way';
  if (body !== 'json') return 'the API answered 404 without JSON that says what was not found';
  return `the API answered 404${apiCode === undefined || isNotFound(apiCode) ? '' : ` with code ${apiCode}`}`;
}

function apiErrorOf(result: Answered, details: ErrorDetails = {}): ApiError {
  const said = readError(result);
  const code = codeFor(result, said);
  return new ApiError(code, answeredWith(result, said), said, { hint: hintFor(result, code), ...details });
}

function responseError(result: Answered, outcome: WriteOutcome | undefined): AcademyError {
  if (result.status !== 429) return apiErrorOf(result, { outcome });
  const seconds = Math.ceil((retryAfterOf(result) ?? 60_000) / 1000);
  const cause = new ApiError('rate_limited', 'the API answered 429', readError(result));
  const message = 'the API refused the request: the limit of the account is used up';
  return new RateLimitedError(message, seconds, { outcome, cause });
}

const trust =
  'If you trust it, set NODE_EXTRA_CA_CERTS to the full path of a PEM file with the certificate of the server or of its authority, then start this program again.';

const certificateProblems: readonly (readonly [code: RegExp, problem: string, hint: string])[] = [
  [/^DEPTH_ZERO_SELF_SIGNED_CERT$/, 'its certificate is self-signed', trust],
  [/^SELF_SIGNED_CERT_IN_CHAIN$/, 'its certificate chain ends in a self-signed certificate', trust],
  [/^UNABLE_TO_(VERIFY_LEAF|GET_ISSUER)/, 'the authority of its certificate is not known', trust],
  [/^CERT_HAS_EXPIRED$/, 'its certificate has expired', 'The operator of the server must renew it.'],
  [/^ERR_TLS_CERT_ALTNAME/, 'its certificate is for another host name', `${checkAddress}.`],
];

function noResponseError(result: Unanswered, outcome: WriteOutcome | undefined): AcademyError {
  if (result.kind === 'no_answer') {
    const hint = result.timedOut ? 'Try again, or raise ACADEMY_TIMEOUT_MS.' : 'Try again in a minute.';
    return new AcademyError(result.timedOut ? 'timeout' : 'api_unavailable', whyUnknown(result), { hint });
  }
  const { reason, error } = result;
  const [, problem, hint = 'Check ACADEMY_BASE_URL and the network, then try again.'] =
    certificateProblems.find(([code]) => code.test(reason)) ?? [];
  const why = problem === undefined ? reason : `${reason}: ${problem}`;
  const message = `the API cannot be reached (${why}); nothing was sent`;
  return error ?? new AcademyError('api_unavailable', message, { hint, outcome });
}

/** The answer, if it is a success. Throws the error of any other result. `outcome`: what it proves of a write. */
export function successOf(result: AttemptResult, outcome?: WriteOutcome): Answered {
  if (result.kind !== 'answered') throw noResponseError(result, outcome);
  if (result.status >= 300) throw responseError(result, outcome);
  if (outcome !== 'not_applied') return result;
  const message = `the API answered ${result.status}, but says that it was not done`;
  throw new ApiError('not_applied', message, readError(result), { hint: hints.unprocessable, outcome });
}

export function unreadableResponseError(result: Answered): AcademyError {
  const { status, exceeded, body } = result;
  if (exceeded !== undefined) {
    const limit = `the API answered ${status}, but its body holds ${answerLimitText[exceeded]}, so it was not read`;
    const hint =
      'Ask for less, with filters or pages if the tool has them. Otherwise check that ACADEMY_BASE_URL is the address of the account.';
    return new AcademyError('unexpected_response', limit, { hint });
  }
  const isCut = body === 'lost';
  const what = `the API answered ${status}, but its body is ${isCut ? 'cut' : 'not JSON'}`;
  return new AcademyError('unexpected_response', isWebPage(result) ? pageInstead(status) : what, {
    hint: isCut ? hints.api_unavailable : hints.unexpected_response,
  });
}

function whyUnknown(result: AttemptResult): string {
  if (result.kind === 'not_sent') return `the API cannot be reached (${result.reason})`;
  if (result.kind === 'no_answer')
    return result.timedOut ? 'the API did not answer in time' : `the connection broke (${result.reason})`;
  if (result.status >= 300) return answeredWith(result, readError(result));
  if (isWebPage(result)) return pageInstead(result.status);
  const what = result.body === 'json' ? 'a message that may deny the change' : 'a body that is not JSON';
  return `the API answered ${result.status} with ${what}`;
}

/** The write was sent, and its effect was not seen. `result` is undefined if the call only looked for the effect. */
export function unknownOutcomeError(
  { checkWith }: Operation,
  result: AttemptResult | undefined,
  blockedMs: number,
): AcademyError {
  const seconds = Math.ceil(blockedMs / 1000);
  const reason = result
    ? whyUnknown(result)
    : 'an identical earlier call has an unknown outcome, and its effect is not visible';
  const message = `${reason}; it is not known whether the change was made. Do not repeat it: first check with ${checkWith}`;
  const hint = `For ${seconds} s an identical call only checks for the effect and sends nothing. After that it is sent again.`;
  const cause = result?.kind === 'answered' ? apiErrorOf(result) : undefined;
  return new OutcomeUnknownError(reason, seconds, message, { hint, cause });
}

/** The error of a write that was not sent, because an identical one on another replica has not ended for too long. */
export function notEndedElsewhereError({ checkWith }: Operation, blockedMs: number): AcademyError {
  const seconds = Math.ceil(blockedMs / 1000);
  const reason = 'an identical call on another replica has not ended';
  const message = `${reason}, so nothing was sent now. It is not known whether the change was made: check with ${checkWith}`;
  const hint = `For up to ${seconds} s an identical call waits for the other one. After that it is sent again.`;
  return new OutcomeUnknownError(reason, seconds, message, { hint });
}

export function cancelledError({ effect }: Operation): AcademyError {
  if (effect === 'read') return new AcademyError('cancelled', 'the call was cancelled');
  const message = 'the call was cancelled; if the request had already been sent, it still finishes';
  return new AcademyError('cancelled', message, { outcome: 'outcome_unknown' });
}
