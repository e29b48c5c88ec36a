import { oneLine } from '../shared/clean-text.ts';
import { AcademyError, ApiError, type ErrorCode } from '../shared/errors.ts';

/** After these errors, a partial answer is still useful. */
const transientErrors: ReadonlySet<ErrorCode> = new Set(['rate_limited', 'timeout', 'api_unavailable']);

/** Describes what interrupted a long job. Rethrows errors after which no answer is possible. */
export function interruptionOf(reason: unknown): string {
  if (reason instanceof AcademyError && transientErrors.has(reason.code)) return `${reason.code}: ${reason.message}`;
  throw reason;
}

/** Errors about one record that say nothing about the next. */
export const singleRecordErrors: ReadonlySet<ErrorCode> = new Set([
  'forbidden',
  'not_found',
  'unprocessable',
  'invalid_fields',
  'unexpected_response',
]);

/** A time-out or a 500 is a fault of the whole API if every concurrent request has it. A 503 always is. */
function mayBeOfOneRecord(error: AcademyError): boolean {
  return error.code === 'timeout' || (error instanceof ApiError && error.answer.status === 500);
}

/** Why one record could not be read, if others may still be readable. Undefined for an error that ends the job. */
export function recordFailureOf(reason: unknown, isAlone: boolean): string | undefined {
  if (!(reason instanceof AcademyError)) return undefined;
  if (!singleRecordErrors.has(reason.code) && !(isAlone && mayBeOfOneRecord(reason))) return undefined;
  const said = reason instanceof ApiError ? reason.answer.apiMessage : undefined;
  return `${reason.code}: ${reason.message}${said === undefined ? '' : ` ("${oneLine(said, 100)}")`}`;
}

/** The result of a read that the answer can do without: undefined if it fails, or the call was cancelled. */
export async function undefinedIfFailed<T>(reading: Promise<T>, signal?: AbortSignal): Promise<T | undefined> {
  return await reading.catch((error: unknown) => {
    if (error instanceof AcademyError || signal?.aborted) return undefined;
    throw error;
  });
}

export async function undefinedIfNotFound<T>(reading: Promise<T>): Promise<T | undefined> {
  return await reading.catch((error: unknown) => {
    if (error instanceof AcademyError && error.code === 'not_found') return undefined;
    throw error;
  });
}
