/** What an error means, in one word that does not change. README: "Errors". */
const errorCodes = [
  'invalid_input',
  'invalid_settings',
  'unauthorized',
  'forbidden',
  'not_found',
  'invalid_fields',
  'unprocessable',
  'rate_limited',
  'api_unavailable',
  'timeout',
  'outcome_unknown',
  'unexpected_response',
  'not_applied',
  'ambiguous_product',
  'stale_version',
  'confirmation_required',
  'declined',
  'read_only',
  'cancelled',
  'internal',
] as const;

/** Errors of JSON-RPC 2.0 (section 5.1), and the one that servers may use for their own. */
export const rpcCodes = {
  parse: -32700,
  invalidRequest: -32600,
  invalidParams: -32602,
  internal: -32603,
  server: -32000,
} as const;

/**
 * Bytes of a refusal of input, in JSON and without what the protocol puts around it: with that it has at most 4,096. Whoever
 * sends much that is wrong gets no more back than they can read.
 */
export const maxRefusal = 3_500;

export type ErrorCode = (typeof errorCodes)[number];

/**
 * What is known of a write. `not_applied`: refused, or provably never sent. `applied`: the API said 2xx.
 * `outcome_unknown`: sent, and no proof of either.
 */
export type WriteOutcome = 'applied' | 'not_applied' | 'outcome_unknown';

export interface ErrorDetails {
  /** What to do next, one sentence. */
  hint?: string | undefined;
  /** Only on errors of a write. */
  outcome?: WriteOutcome | undefined;
  cause?: unknown;
}

/** Every failure that we foresee. Message and hint are written for the agent: no secrets, no paths, no stacks. */
export class AcademyError extends Error {
  override readonly name: string = 'AcademyError';
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly outcome: WriteOutcome | undefined;
  /** What was there before a write of unknown outcome, a line each: never cut, since nothing else shows it afterwards. */
  before: readonly string[] = [];

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, { cause: details.cause });
    this.code = code;
    this.hint = details.hint;
    this.outcome = details.outcome;
  }
}

/** A setting is missing or wrong; the message names it. The program does not start. */
export class SettingsError extends AcademyError {
  override readonly name = 'SettingsError';

  constructor(message: string, hint?: string) {
    super('invalid_settings', message, { hint });
  }
}

/** The account's request limit stands in the way. */
export class RateLimitedError extends AcademyError {
  override readonly name = 'RateLimitedError';
  readonly retryAfterSeconds: number;

  constructor(message: string, retryAfterSeconds: number, details: ErrorDetails = {}) {
    const hint = `Try again in ${retryAfterSeconds} s, or ask for less.`;
    super('rate_limited', message, { hint, ...details });
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** A write was sent, and nothing that can be read tells whether it was done. */
export class OutcomeUnknownError extends AcademyError {
  override readonly name = 'OutcomeUnknownError';
  /** What stood in the way of its answer. */
  readonly reason: string;
  /** For so long an equal write is only looked for, not sent. */
  readonly blockedSeconds: number;

  constructor(reason: string, blockedSeconds: number, message: string, details: ErrorDetails) {
    super('outcome_unknown', message, { ...details, outcome: 'outcome_unknown' });
    this.reason = reason;
    this.blockedSeconds = blockedSeconds;
  }
}

/** The API answered with an error status. API document: "Errors". */
export class ApiError extends AcademyError {
  override readonly name = 'ApiError';
  readonly status: number;
  /** The API's own code, such as not_found or invalid_fields. */
  readonly apiCode: string | undefined;
  /** The API's own words, cleaned and cut to 500 characters: text from elsewhere. */
  readonly apiMessage: string | undefined;
  readonly supportedFields: readonly string[] | undefined;
  readonly requestId: string | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    answer: {
      status: number;
      apiCode?: string | undefined;
      apiMessage?: string | undefined;
      supportedFields?: readonly string[] | undefined;
      requestId?: string | undefined;
    },
    details: ErrorDetails = {},
  ) {
    super(code, message, details);
    this.status = answer.status;
    this.apiCode = answer.apiCode;
    this.apiMessage = answer.apiMessage;
    this.supportedFields = answer.supportedFields;
    this.requestId = answer.requestId;
  }
}
