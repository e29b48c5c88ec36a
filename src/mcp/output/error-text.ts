import { cutToBytes, oneLine } from '../../shared/clean-text.ts';
import {
  AcademyError,
  ApiError,
  type ErrorCode,
  maxRefusal,
  OutcomeUnknownError,
  type WriteOutcome,
} from '../../shared/errors.ts';
import { asValue, quoted } from '../../shared/quote-text.ts';
import { factLine } from '../confirmation/confirmation-message.ts';

/** Said only where the message does not say it: whether a failed write changed anything. */
function aboutChange(error: AcademyError, outcome: WriteOutcome | undefined): string {
  return outcome === 'not_applied' && !/nothing was (sent|changed)/i.test(error.message) ? 'Nothing was changed.' : '';
}

/** A code or an id of the API is one word; what is more is its own words, and those are quoted. */
const codeName = (code: string) => (/\s/.test(code) ? quoted(code) : asValue(code));

function aboutApi(error: ApiError): string[] {
  const { status, apiCode, apiMessage, supportedFields, requestId } = error;
  const said = apiMessage === undefined ? '' : `: ${quoted(apiMessage)}`;
  return [
    `API: ${status}${apiCode === undefined ? '' : ` ${codeName(apiCode)}`}${said}`,
    ...(supportedFields === undefined ? [] : [`Supported fields: ${supportedFields.map(asValue).join(', ')}`]),
    ...(requestId === undefined ? [] : [`Request id: ${codeName(oneLine(requestId, 200))}`]),
  ];
}

function apiErrorIn(error: AcademyError): ApiError | undefined {
  if (error instanceof ApiError) return error;
  return error.cause instanceof ApiError ? error.cause : undefined;
}

/**
 * What is known of a write whose call failed. Errors without an outcome of their own come before anything was sent, save
 * for mistakes of ours, which may come at any time.
 */
export function outcomeOf(error: AcademyError, isWrite: boolean): WriteOutcome | undefined {
  if (!isWrite || error.outcome !== undefined) return error.outcome;
  return error.code === 'internal' ? 'outcome_unknown' : 'not_applied';
}

/** They carry what a write would do. Nobody can agree to half of it, so that it is never cut. */
const previews: ReadonlySet<ErrorCode> = new Set(['confirmation_required', 'declined']);

/** For what follows the sentence, such as the API's own words and the hint, in bytes. */
const roomForRest = 1_500;

function sentenceOf({ code, message }: AcademyError): string {
  const told = previews.has(code) ? message : cutToBytes(message, maxRefusal - roomForRest);
  return `${code}: ${told.replace(/\.$/, '')}.`;
}

/** Characters of what was there before: with the rest of the error it stays within the length of an answer. */
const roomForBefore = 36_000;

/** Each on one line, as many as fit, and how many do not. */
function linesOf(before: readonly string[]): string[] {
  const lines = before.map(factLine);
  let room = roomForBefore;
  const end = lines.findIndex(({ length }) => {
    room -= length + 1;
    return room < 0;
  });
  if (end < 0) return lines;
  return [...lines.slice(0, end), `${lines.length - end} more lines are not shown.`];
}

/** What the agent reads: what happened, whether anything changed, what to do next. Never a stack. */
export function errorText(error: AcademyError, outcome = error.outcome): string {
  const api = apiErrorIn(error);
  const text = [
    [sentenceOf(error), aboutChange(error, outcome)].filter(Boolean).join(' '),
    ...(api === undefined ? [] : aboutApi(api)),
    ...(error.hint === undefined ? [] : [`Hint: ${error.hint}`]),
    ...(outcome === undefined ? [] : [`Outcome: ${outcome}`]),
  ].join('\n');
  const told = previews.has(error.code) ? text : cutToBytes(text, maxRefusal);
  return [told, ...linesOf(error.before)].join('\n');
}

const maxReason = 200;

/** What failed, in a few words for a row of a list: the API's own words stand with its status. */
export function reasonOf(error: AcademyError): string {
  const message = error instanceof OutcomeUnknownError ? error.reason : `${error.code}: ${error.message}`;
  const { apiCode, apiMessage } = apiErrorIn(error) ?? {};
  const words = apiMessage === undefined ? [] : [quoted(oneLine(apiMessage, maxReason - (apiCode?.length ?? 0)))];
  const said = [...(apiCode === undefined ? [] : [codeName(apiCode)]), ...words].join(': ');
  return said === '' ? message : `${message} (${said})`;
}

/** A fault of ours: the agent learns that it happened, the log learns what it was. */
export function internalError(cause: unknown): AcademyError {
  return new AcademyError('internal', 'the server made a mistake; the log on its standard error says more', {
    hint: 'Do not repeat a write before you have checked what it did.',
    cause,
  });
}
