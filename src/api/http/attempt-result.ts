import type { AcademyError } from '../../shared/errors.ts';
import { withCommas } from '../../shared/invalid-input.ts';
import { exceededBy, type JsonLimits } from '../../shared/json-limits.ts';

/** Largest body of an answer, in bytes. Lists without pages can be long, but a longer answer is a fault. */
export const maxAnswerBytes = 32 * 2 ** 20;

/**
 * What a body may hold: 200,000 records of fifteen values each. With these limits any answer stays below about 500 MB
 * of memory.
 */
const jsonLimits: JsonLimits = { records: 200_000, values: 3_000_000, depth: 64 };

export type AnswerLimit = 'bytes' | keyof JsonLimits;

export const answerLimitText: Record<AnswerLimit, string> = {
  bytes: `more than ${maxAnswerBytes / 2 ** 20} MiB`,
  records: `more than ${withCommas(jsonLimits.records)} records`,
  values: `more than ${withCommas(jsonLimits.values)} values`,
  depth: `values nested deeper than ${jsonLimits.depth} levels`,
};

/** Which limit a complete body exceeds. Checked before the body is parsed. */
export function answerLimitExceededBy(text: string): AnswerLimit | undefined {
  return exceededBy(text, jsonLimits);
}

/** The result of one attempt, as far as it can be proved. */
export type AttemptResult =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly headers: AnswerHeaders;
      readonly body: Body;
      /** The text of an error that is not JSON, or the title of a web page. */
      readonly errorText?: string;
    }
  /** The status arrived, but the body did not arrive whole, or exceeds a limit and was not read. */
  | {
      readonly kind: 'body_lost';
      readonly status: number;
      readonly headers: AnswerHeaders;
      readonly reason: string;
      readonly exceeded?: AnswerLimit;
    }
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

type Body = { readonly json: unknown } | 'empty' | 'not_json';

/** How old an answer is that a cache on the way gave, in milliseconds (RFC 9111, 5.1). */
export function ageIn({ age = '' }: AnswerHeaders): number {
  return /^\s*\d{1,9}\s*$/.test(age) ? Number(age) * 1000 : 0;
}

export function parseBody(text: string): Body {
  if (text.trim() === '') return 'empty';
  try {
    return { json: JSON.parse(text) };
  } catch {
    return 'not_json';
  }
}

/** Longest part of a text that is searched for an error message, in characters. */
const maxRead = 4_000;

/** The message in an error body that is not JSON: the text itself, or the title of a web page. */
export function errorTextOf(text: string): string | undefined {
  const start = text.slice(0, maxRead);
  const [, title] = /<title[^>]*>([^<]*)/i.exec(start) ?? [];
  const words = title ?? (/^\s*</.test(start) ? '' : start);
  return words.trim() === '' ? undefined : words.trim();
}

/** Whether a proxy, a firewall or a login page answered instead of the API, which answers in JSON. */
export function isWebPage(result: Extract<AttemptResult, { status: number }>): boolean {
  const isUnread = result.kind === 'body_lost' || result.body === 'not_json';
  return isUnread && /html/.test(result.headers.contentType ?? '');
}

export function jsonOf(result: AttemptResult): unknown {
  return result.kind === 'answered' && typeof result.body === 'object' ? result.body.json : undefined;
}

export interface AnswerHeaders {
  readonly requestId: string | undefined;
  /** As sent: seconds or an HTTP date. */
  readonly retryAfter: string | undefined;
  readonly contentType?: string | undefined;
  /** Where a redirect leads. Not followed, since the key belongs to one address. */
  readonly location?: string | undefined;
  /** API document: "Versioning". */
  readonly apiVersion?: string | undefined;
  readonly date?: string | undefined;
  /** How long a cache on the way has had the answer, in seconds. */
  readonly age?: string | undefined;
  readonly link?: string | undefined;
  readonly total?: string | undefined;
  readonly contentRange?: string | undefined;
  /** Headers that may say that the answer is a part: "x-truncated: true". */
  readonly doubts?: readonly string[];
}

/** Longest accepted Retry-After, in milliseconds: the API's window is a minute. */
const maxRetryAfter = 120_000;

/**
 * Milliseconds to wait, from Retry-After in seconds or as an HTTP date (RFC 9110, 10.2.3); undefined for any other
 * value.
 */
export function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  const wait = /^\s*\d+(\.\d+)?\s*$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now;
  return Number.isFinite(wait) && wait >= 0 && wait <= maxRetryAfter ? wait : undefined;
}

/** How long the API asks the client to wait, in milliseconds. */
export function retryAfterOf(result: AttemptResult): number | undefined {
  return 'status' in result ? parseRetryAfter(result.headers.retryAfter, Date.now()) : undefined;
}
