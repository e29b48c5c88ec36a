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
import { factLine, fitting } from '../confirmation/confirmation-message.ts';

/** A code or an id of the API is one word; longer text is quoted. */
const codeName = (code: string) => (/\s/.test(code) ? quoted(code) : asValue(code));

function aboutApi({ answer }: ApiError): string[] {
  const { status, apiCode, apiMessage, supportedFields, requestId } = answer;
  const said = apiMessage === undefined ? '' : `: ${quoted(apiMessage)}`;
  return [
    `API: ${status}${apiCode === undefined ? '' : ` ${codeName(apiCode)}`}${said}`,
    ...(supportedFields === undefined ? [] : [`Supported fields: ${supportedFields.map(asValue).join(', ')}`]),
    ...(requestId === undefined ? [] : [`Request id: ${codeName(oneLine(requestId, 200))}`]),
  ];
}

const apiErrorIn = (error: AcademyError): ApiError | undefined =>
  [error, error.cause].find((one) => one instanceof ApiError);

/** The outcome of a failed write. An error without its own is thrown before anything is sent; an internal one may occur at any time. */
export function outcomeOf(error: AcademyError, isWrite: boolean): WriteOutcome | undefined {
  if (!isWrite || error.outcome !== undefined) return error.outcome;
  return error.code === 'internal' ? 'outcome_unknown' : 'not_applied';
}

/** Errors that say what a write would do. They are never cut: a person must see all of it to agree. */
const previews: ReadonlySet<ErrorCode> = new Set(['confirmation_required', 'declined']);

/** Reserved for what follows the sentence, such as the API's message and the hint, in bytes. */
const roomForRest = 1_500;

function sentenceOf({ code, message }: AcademyError, outcome: WriteOutcome | undefined): string {
  const shown = previews.has(code) ? message : cutToBytes(message, maxRefusal - roomForRest);
  const isSaid = outcome !== 'not_applied' || /nothing was (sent|changed)/i.test(message);
  return `${code}: ${shown.replace(/\.$/, '')}.${isSaid ? '' : ' Nothing was changed.'}`;
}

/** Characters of the lines about the state before a write: with the rest of the error they fit into an answer. */
const roomForBefore = 36_000;

/** One line each, as many as fit, and the number of the others. */
function linesOf(before: readonly string[]): string[] {
  const lines = before.map(factLine);
  const written = lines.map((line) => `${line}\n`);
  const { length } = fitting(written, roomForBefore);
  if (length === lines.length) return lines;
  return [...lines.slice(0, length), `${lines.length - length} more lines are not shown.`];
}

/** The text for the agent: what happened, whether anything changed, what to do next. Never a stack trace. */
export function errorText(error: AcademyError, outcome = error.outcome): string {
  const api = apiErrorIn(error);
  const text = [
    sentenceOf(error, outcome),
    ...(api === undefined ? [] : aboutApi(api)),
    ...(error.hint === undefined ? [] : [`Hint: ${error.hint}`]),
    ...(outcome === undefined ? [] : [`Outcome: ${outcome}`]),
  ].join('\n');
  const shown = previews.has(error.code) ? text : cutToBytes(text, maxRefusal);
  return [shown, ...linesOf(error.before)].join('\n');
}

const maxReason = 200;

/** The failure in a few words, for a row of a list: the API's message with its status. */
export function reasonOf(error: AcademyError): string {
  const message = error instanceof OutcomeUnknownError ? error.reason : `${error.code}: ${error.message}`;
  const { apiCode, apiMessage } = apiErrorIn(error)?.answer ?? {};
  const words = apiMessage === undefined ? [] : [quoted(oneLine(apiMessage, maxReason - (apiCode?.length ?? 0)))];
  const said = [...(apiCode === undefined ? [] : [codeName(apiCode)]), ...words].join(': ');
  return said === '' ? message : `${message} (${said})`;
}

/** An internal error: the agent reads that it happened, the log has the cause. */
export function internalError(cause: unknown): AcademyError {
  return new AcademyError('internal', 'the server has an internal error; its log on standard error has the details', {
    hint: 'Before you retry a write, check what it did.',
    cause,
  });
}
