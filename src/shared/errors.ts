/** Stable codes that say what an error means. docs/task-tools.md: "Errors". */
export const errorCodes = [
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
  'journal_unavailable',
  'ambiguous_product',
  'stale_version',
  'confirmation_required',
  'declined',
  'read_only',
  'cancelled',
  'internal',
] as const;

/** Error codes of JSON-RPC 2.0 (section 5.1); `server` is the first code for errors that a server defines. */
export const rpcCodes = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  server: -32000,
} as const;

/** Bytes of an input error in JSON; with the protocol around it, at most 4,096. */
export const maxRefusal = 3_500;

export type ErrorCode = (typeof errorCodes)[number];

/** `not_applied`: refused, or never sent. `applied`: answered 2xx. `outcome_unknown`: sent, without proof of either. */
export type WriteOutcome = 'applied' | 'not_applied' | 'outcome_unknown';

export interface ErrorDetails {
  hint?: string | undefined;
  outcome?: WriteOutcome | undefined;
  cause?: unknown;
}

/** Every expected failure. Message and hint are for the agent: no secrets, paths or stack traces. */
export class AcademyError extends Error {
  override readonly name: string = 'AcademyError';
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly outcome: WriteOutcome | undefined;
  /** The values before a write of unknown outcome, one line each. Never cut, since nothing else shows them afterwards. */
  before: readonly string[] = [];

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, { cause: details.cause });
    this.code = code;
    this.hint = details.hint;
    this.outcome = details.outcome;
  }
}

/** A setting is missing or invalid; the message names it. The program does not start. */
export class SettingsError extends AcademyError {
  override readonly name = 'SettingsError';

  constructor(message: string, hint?: string) {
    super('invalid_settings', message, { hint });
  }
}

export class RateLimitedError extends AcademyError {
  override readonly name = 'RateLimitedError';
  readonly retryAfterSeconds: number;

  constructor(message: string, retryAfterSeconds: number, details: ErrorDetails = {}) {
    const hint = `Try again in ${retryAfterSeconds} s, or ask for less.`;
    super('rate_limited', message, { hint, ...details });
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** A write was sent, and no read request can tell whether it was applied. */
export class OutcomeUnknownError extends AcademyError {
  override readonly name = 'OutcomeUnknownError';
  readonly reason: string;
  /** How long an identical write only checks for its effect and sends nothing. */
  readonly blockedSeconds: number;

  constructor(reason: string, blockedSeconds: number, message: string, details: ErrorDetails) {
    super('outcome_unknown', message, { ...details, outcome: 'outcome_unknown' });
    this.reason = reason;
    this.blockedSeconds = blockedSeconds;
  }
}

export interface ApiAnswer {
  readonly status: number;
  /** The API's own code, such as not_found or invalid_fields. */
  readonly apiCode?: string | undefined;
  /** The API's own message, cleaned and cut to 500 characters. Untrusted text. */
  readonly apiMessage?: string | undefined;
  readonly supportedFields?: readonly string[] | undefined;
  readonly requestId?: string | undefined;
}

/** The API answered with an error status. API document: "Errors". */
export class ApiError extends AcademyError {
  override readonly name = 'ApiError';
  readonly answer: ApiAnswer;

  constructor(code: ErrorCode, message: string, answer: ApiAnswer, details: ErrorDetails = {}) {
    super(code, message, details);
    this.answer = answer;
  }
}
