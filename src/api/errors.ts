import { oneLine } from '../clean.ts';
import type { Operation } from '../contract/operation.ts';
import {
  AcademyError,
  ApiError,
  type ErrorCode,
  type ErrorDetails,
  OutcomeUnknownError,
  RateLimitedError,
} from '../errors.ts';
import { type AnswerLimit, answerLimitWords } from './answer-limits.ts';
import type { Outcome } from './outcome.ts';
import { isObject } from './tolerate.ts';
import { verdictOf } from './verdict.ts';
import type { WriteId } from './witness/index.ts';

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
    apiCode: (textOf(first.code) ?? textOf(body.code))?.slice(0, 60),
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

/** Where an agent looks after a write of unknown outcome. */
const whereToLook: Record<WriteId, string> = {
  'access.enrollStudent': 'list_orders (user_email, status all) or get_student_details',
  'access.unenrollStudent': 'get_student_details',
  'access.revokeCourse': 'get_student_details and list_orders (user_email, status all)',
  'access.revokeBundle': 'get_student_details and list_orders (user_email, status all)',
  'access.grantRole': 'the platform itself: the API does not show the roles of a student',
  'access.revokeRole': 'the platform itself: the API does not show the roles of a student',
  'access.resetCourseProgress': 'get_course_completion',
  'access.resetBundleProgress': 'get_course_completion for a course of the bundle',
  'courses.createLesson': 'get_course_structure',
  'courses.updateLesson': 'get_course_structure',
  'products.updateProduct': 'get_product',
  'community.createChannel': 'search_channels',
  'community.updateChannel': 'get_channel',
};

function placeToLook({ id }: Operation): string {
  // A read has no outcome to look for; the lookup by a plain string is what its type cannot say.
  return (whereToLook as Partial<Record<string, string>>)[id] ?? 'a read tool';
}

function whyUnknown(outcome: Outcome | undefined): string {
  if (outcome === undefined) return 'an equal call before had no known outcome, and its effect is not to be seen';
  if ('status' in outcome) return `the API answered ${outcome.status}`;
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
  const code = codeFor(outcome.status, body.apiCode);
  return new ApiError(
    code,
    `the API answered ${outcome.status}`,
    { status: outcome.status, ...body },
    { hint: hints[code] },
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
  const code = codeFor(status, body.apiCode);
  const details: ErrorDetails = { hint: hints[code], ...(isWrite ? { outcome: verdictOf(outcome) } : {}) };
  return new ApiError(code, `the API answered ${status}`, { status, ...body }, details);
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

export function unreadableAnswer(status: number): AcademyError {
  return new AcademyError('unexpected_response', `the API answered ${status}, but its body is not JSON`, {
    hint: hints.unexpected_response,
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
