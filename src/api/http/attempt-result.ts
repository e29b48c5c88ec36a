import type { AcademyError } from '../../shared/errors.ts';
import { withCommas } from '../../shared/invalid-input.ts';
import type { JsonLimits } from '../../shared/json-limits.ts';

/** Largest body of an answer, in bytes. Lists without pages can be long, but a longer answer is a fault. */
export const maxAnswerBytes = 32 * 2 ** 20;

/** 200,000 records of fifteen values each. With these limits any answer stays below about 500 MB of memory. */
export const jsonLimits: JsonLimits = { records: 200_000, values: 3_000_000, depth: 64 };

export const answerLimitText: Record<'bytes' | keyof JsonLimits, string> = {
  bytes: `more than ${maxAnswerBytes / 2 ** 20} MiB`,
  records: `more than ${withCommas(jsonLimits.records)} records`,
  values: `more than ${withCommas(jsonLimits.values)} values`,
  depth: `values nested deeper than ${jsonLimits.depth} levels`,
};

export type AttemptResult = Answered | Unanswered;

/** An answer of the API, or of something on the way to it. */
export interface Answered {
  readonly kind: 'answered';
  readonly status: number;
  /** By their names in small letters. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** `lost`: it did not arrive whole, or exceeds a limit and was not read. */
  readonly body: 'json' | 'text' | 'empty' | 'lost';
  readonly json?: unknown;
  readonly text?: string;
  readonly exceeded?: keyof typeof answerLimitText | undefined;
}

export type Unanswered =
  /** The dispatch hook never ran: not one byte of the request was sent. */
  | {
      readonly kind: 'not_sent';
      readonly reason: string;
      readonly permanent: boolean;
      /** The reason, if it was not the network. */
      readonly error?: AcademyError;
    }
  /** The request was sent, in part or whole, and no answer came. */
  | { readonly kind: 'no_answer'; readonly reason: string; readonly timedOut: boolean };

/** A header of an answer: the first, if there are several. */
export function headerOf(result: AttemptResult, name: string): string | undefined {
  const value = result.kind === 'answered' ? result.headers[name] : undefined;
  return Array.isArray(value) ? value[0] : value;
}

/** API document: "Authentication". */
export const requestIdOf = (result: AttemptResult) => headerOf(result, 'x-request-id')?.slice(0, 200);

/** How old an answer is that a cache on the way gave, in milliseconds (RFC 9111, 5.1). */
export function ageIn(result: AttemptResult): number {
  const age = headerOf(result, 'age') ?? '';
  return /^\s*\d{1,9}\s*$/.test(age) ? Number(age) * 1000 : 0;
}

/** Whether a proxy, a firewall or a login page answered instead of the API, which answers in JSON. */
export function isWebPage(result: Answered): boolean {
  const isUnread = result.body === 'lost' || result.body === 'text';
  return isUnread && /html/i.test(headerOf(result, 'content-type') ?? '');
}

/** Longest accepted Retry-After, in milliseconds: the API's window is a minute. */
const maxRetryAfter = 120_000;

/** Milliseconds to wait, from Retry-After in seconds or as an HTTP date (RFC 9110, 10.2.3). */
export function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  const wait = /^\s*\d+(\.\d+)?\s*$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now;
  return Number.isFinite(wait) && wait >= 0 && wait <= maxRetryAfter ? wait : undefined;
}

export const retryAfterOf = (result: AttemptResult) => parseRetryAfter(headerOf(result, 'retry-after'), Date.now());
