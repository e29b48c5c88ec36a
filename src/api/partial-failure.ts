import { oneLine } from '../shared/clean-text.ts';
import { AcademyError, ApiError, type ErrorCode } from '../shared/errors.ts';

/** Errors after which what has been read is still worth an answer. */
const passing: ReadonlySet<ErrorCode> = new Set(['rate_limited', 'timeout', 'api_unavailable']);

/** What ended a long job before its end, in words; rethrows what no answer could be given after. */
export function interruptionOf(reason: unknown): string {
  if (reason instanceof AcademyError && passing.has(reason.code)) return `${reason.code}: ${reason.message}`;
  throw reason;
}

/** Errors that say something of one record, and nothing of the next. */
const ofOne: ReadonlySet<ErrorCode> = new Set([
  'forbidden',
  'not_found',
  'unprocessable',
  'invalid_fields',
  'unexpected_response',
]);

/** A time-out or a 500 is the whole API's where all that was asked for at the same time has it. A 503 is in any case. */
function isOfOneOrAll(error: AcademyError): boolean {
  return error.code === 'timeout' || (error instanceof ApiError && error.status === 500);
}

/** Why one record could not be read, where others may be read all the same; undefined for what ends the whole. */
export function recordFailureOf(reason: unknown, isAlone: boolean): string | undefined {
  if (!(reason instanceof AcademyError)) return undefined;
  if (!ofOne.has(reason.code) && !(isAlone && isOfOneOrAll(reason))) return undefined;
  const said = reason instanceof ApiError ? reason.apiMessage : undefined;
  return `${reason.code}: ${reason.message}${said === undefined ? '' : ` ("${oneLine(said, 100)}")`}`;
}
