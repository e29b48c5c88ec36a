import { oneLine } from '../clean.ts';
import type { Operation } from '../contract/operation.ts';
import { AcademyError, ApiError, type ErrorCode, type ErrorDetails, RateLimitedError } from '../errors.ts';
import type { Outcome } from './outcome.ts';
import { isObject } from './tolerate.ts';

type Answered = Extract<Outcome, { status: number }>;
type Unanswered = Exclude<Outcome, { status: number }>;

const longestApiText = 500;

interface ErrorBody {
  apiCode: string | undefined;
  apiMessage: string | undefined;
  supportedFields: readonly string[] | undefined;
  requestId: string | undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? oneLine(value, longestApiText) : undefined;
}

function firstError(body: Record<string, unknown>): Record<string, unknown> {
  const first: unknown = Array.isArray(body.errors) ? body.errors[0] : undefined;
  return isObject(first) ? first : {};
}

/** The document promises a list of supported fields but not its key: any array of strings in the body is taken for it. */
function stringList(body: unknown): readonly string[] | undefined {
  if (Array.isArray(body) && body.length > 0 && body.every((entry) => typeof entry === 'string')) {
    return body.slice(0, 50).map((entry: string) => oneLine(entry, 60));
  }
  if (!isObject(body) && !Array.isArray(body)) return undefined;
  for (const value of Object.values(body)) {
    const found = stringList(value);
    if (found !== undefined) return found;
  }
  return undefined;
}

function readErrorBody(outcome: Answered): ErrorBody {
  const json = outcome.kind === 'answered' && typeof outcome.body === 'object' ? outcome.body.json : undefined;
  const body = isObject(json) ? json : {};
  const first = firstError(body);
  return {
    apiCode: textOf(first.code) ?? textOf(body.code),
    apiMessage: textOf(body.error) ?? textOf(first.message) ?? textOf(body.message),
    supportedFields: stringList(body),
    requestId: textOf(body.request_id) ?? outcome.headers.requestId,
  };
}

const codesByStatus: Record<number, ErrorCode> = { 401: 'unauthorized', 403: 'forbidden', 404: 'not_found' };

function codeFor(status: number, apiCode: string | undefined): ErrorCode {
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
  forbidden: 'The key is not of an admin, or this admin may not do that.',
  not_found: 'Check the id, slug or email: a list or search tool shows the right ones.',
  invalid_fields: 'Use only fields that this kind of record supports.',
  unprocessable: 'Correct what the message names and call again.',
  api_unavailable: 'The platform has trouble; try again in a minute.',
  unexpected_response: 'Check that ACADEMY_BASE_URL is the address of the account, with https and without a redirect.',
};

/** A write that got this status: was it done? 408 and 5xx come from anywhere on the way, so nothing is known. */
function outcomeOfStatus(status: number): 'not_applied' | 'outcome_unknown' {
  return status >= 500 || status === 408 || status < 400 ? 'outcome_unknown' : 'not_applied';
}

/** What an agent reads after a write of unknown outcome: never to repeat it blindly, and where to look. */
const whereToLook: Record<string, string> = {
  'access.enrollStudent': 'check with list_orders (user_email, status all) or get_student_details',
  'courses.createLesson': 'check with get_course_structure',
  'courses.updateLesson': 'check with get_course_structure',
  'products.updateProduct': 'check with get_product',
  'community.createChannel': 'check with search_channels',
  'community.updateChannel': 'check with get_channel',
  'access.resetCourseProgress': 'check with get_course_completion',
  'access.resetBundleProgress': 'check with get_course_completion for a course of the bundle',
  'access.revokeCourse': 'check with list_orders (user_email, status all)',
  'access.revokeBundle': 'check with list_orders (user_email, status all)',
};

function unknownOutcome(operation: Operation, why: string, cause?: ApiError): AcademyError {
  const check = whereToLook[operation.id] ?? 'check with get_student_details';
  return new AcademyError('outcome_unknown', `${why}; whether the change was made is not known. Do not repeat it yet`, {
    hint: `First ${check}.`,
    outcome: 'outcome_unknown',
    cause,
  });
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
  const code = codeFor(status, body.apiCode);
  const details: ErrorDetails = { hint: hints[code], ...(isWrite ? { outcome: outcomeOfStatus(status) } : {}) };
  const error = new ApiError(code, `the API answered ${status}`, { status, ...body }, details);
  return details.outcome === 'outcome_unknown' ? unknownOutcome(operation, error.message, error) : error;
}

function sentInVain(operation: Operation, outcome: Extract<Unanswered, { kind: 'no_answer' }>): AcademyError {
  const why = outcome.timedOut ? 'the API did not answer in time' : `the connection broke (${outcome.reason})`;
  if (operation.effect !== 'read') return unknownOutcome(operation, why);
  const hint = outcome.timedOut ? 'Try again, or raise ACADEMY_TIMEOUT_MS.' : 'Try again in a minute.';
  return new AcademyError(outcome.timedOut ? 'timeout' : 'api_unavailable', why, { hint });
}

export function errorOfSilence(operation: Operation, outcome: Unanswered): AcademyError {
  if (outcome.kind === 'no_answer') return sentInVain(operation, outcome);
  return new AcademyError('api_unavailable', `the API cannot be reached (${outcome.reason}); nothing was sent`, {
    hint: 'Check ACADEMY_BASE_URL and the network, then try again.',
    ...(operation.effect === 'read' ? {} : { outcome: 'not_applied' as const }),
  });
}

export function unreadableAnswer(status: number): AcademyError {
  return new AcademyError('unexpected_response', `the API answered ${status}, but its body is not JSON`, {
    hint: hints.unexpected_response,
  });
}
