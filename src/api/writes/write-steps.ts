import type { Operation } from '../../contract/operation.ts';
import type { ParsedResponse, ResponseSchema } from '../../contract/schemas/response.ts';
import { AcademyError, type ErrorCode, RateLimitedError } from '../../shared/errors.ts';
import type { Outcome } from '../http/attempt-result.ts';
import type { Sent } from '../send-with-retries.ts';
import type { Taken } from './accepted-fields.ts';
import type { Verification } from './verify/verifier.ts';
import type { WriteNote } from './write-note.ts';

export interface WriteResult<A extends ResponseSchema> {
  answer: ParsedResponse<A>;
  note: WriteNote | undefined;
}

/** One write, as the client sees it: each step is a function, so that their order can be read here alone. */
export interface WriteSteps<A extends ResponseSchema> {
  operation: Operation;
  input: object;
  /** When the caller looked for the effect and did not see it; see `CallOptions`. */
  lookedAt: number | undefined;
  /** Sends as often as is provably safe. */
  send(isRepeat: boolean, signal: AbortSignal): Promise<Sent>;
  /** Looks for the effect by read requests. */
  look(beforehand: boolean, signal?: AbortSignal): Promise<Verification>;
  /** Reads the answer of a write that was applied; throws the error of one that was not. */
  read(outcome: Outcome): ParsedResponse<A>;
  /** What the answer of a write that was applied shows of what was sent. */
  taken(outcome: Outcome): Taken;
  /** What is known of a record that was found by looking. */
  found(record: object | undefined): ParsedResponse<A>;
  /** The error of a write of which nothing is known; `blockedMs` is how long an equal call will only verify. */
  unknown(outcome: Outcome | undefined, blockedMs: number): AcademyError;
}

/** The API answered, but not with what was to be looked at. */
export const refusals: ReadonlySet<ErrorCode> = new Set([
  'forbidden',
  'not_found',
  'unprocessable',
  'invalid_fields',
  'unexpected_response',
]);

/** A read that failed before its write was sent: of the write it is known that it was not done. */
export function beforeSending(error: AcademyError): AcademyError {
  const { code, hint } = error;
  const message = `${error.message}; nothing was changed`;
  if (error instanceof RateLimitedError) {
    // Who has time waits as long as this says; its cause holds the words of the API.
    const { retryAfterSeconds, cause } = error;
    return new RateLimitedError(message, retryAfterSeconds, { outcome: 'not_applied', cause });
  }
  return new AcademyError(code, message, { hint, outcome: 'not_applied', cause: error });
}

export type Seen = Extract<Verification, { state: 'seen' }>;

export interface Begun {
  key: string;
  signal: AbortSignal;
  /** Whether seeing the effect proves that this write had it. */
  isProof: boolean;
}

/** What is there is what was asked for: nothing needs to be sent. Where it may be something else, the caller decides. */
export function already({ where, what = 'an equal record', isEqual = true }: Seen): WriteNote {
  if (isEqual) return { sent: false, text: `${what} was there already, as ${where} shows; nothing was sent` };
  throw new AcademyError(
    'not_applied',
    `${what} is there already, and may differ from what was asked for; nothing was sent`,
    {
      hint: `Look at it with ${where}. If it is what was wanted, it is done; to change it use the update tool, to add another give it another name or title.`,
      outcome: 'not_applied',
    },
  );
}
