import type { AcademyError } from '../../shared/errors.ts';
import type { AnswerLimit } from './answer-limits.ts';

/** What became of one attempt, as far as it can be proved. */
export type AttemptResult =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly headers: AnswerHeaders;
      readonly body: Body;
      /** The words of an error that is not JSON: a text, or of a web page its title. */
      readonly said?: string;
    }
  /** The status line came, the body did not (whole), or it exceeds a limit and was not read. */
  | {
      readonly kind: 'body_lost';
      readonly status: number;
      readonly headers: AnswerHeaders;
      readonly reason: string;
      readonly exceeded?: AnswerLimit;
    }
  /** The dispatch hook never fired: not one byte of the request left. */
  | {
      readonly kind: 'not_sent';
      readonly reason: string;
      readonly permanent: boolean;
      /** Where it was not the network that stood in the way. */
      readonly error?: AcademyError;
    }
  /** SendResult, in part or whole, and no answer came. */
  | { readonly kind: 'no_answer'; readonly reason: string; readonly timedOut: boolean };

/** An answer's body: JSON, nothing, or something else. */
export type Body = { readonly json: unknown } | 'empty' | 'not_json';

export function parseBody(text: string): Body {
  if (text.trim() === '') return 'empty';
  try {
    return { json: JSON.parse(text) };
  } catch {
    return 'not_json';
  }
}

/** No more of a text is looked at for its words. */
const maxRead = 4_000;

/** The words of an error body that is no JSON: its text or, of a web page, its title. */
export function wordsOfText(text: string): string | undefined {
  const start = text.slice(0, maxRead);
  const [, title] = /<title[^>]*>([^<]*)/i.exec(start) ?? [];
  const words = title ?? (/^\s*</.test(start) ? '' : start);
  return words.trim() === '' ? undefined : words.trim();
}

/** Whether a proxy, a firewall or a login page has answered, and not the API: the API answers in JSON. */
export function isWebPage(result: Extract<AttemptResult, { status: number }>): boolean {
  const isUnread = result.kind === 'body_lost' || result.body === 'not_json';
  return isUnread && /html/.test(result.headers.contentType ?? '');
}

/** The JSON that an answer holds; undefined where it holds none. */
export function jsonOf(result: AttemptResult): unknown {
  return result.kind === 'answered' && typeof result.body === 'object' ? result.body.json : undefined;
}

export interface AnswerHeaders {
  readonly requestId: string | undefined;
  /** As sent: seconds or an HTTP date. */
  readonly retryAfter: string | undefined;
  readonly contentType?: string | undefined;
  /** API document: "Versioning". */
  readonly apiVersion?: string | undefined;
  /** The server's clock, as an HTTP date. */
  readonly date?: string | undefined;
}

/** The longest Retry-After that is believed, in milliseconds: the API's window is a minute. */
const maxRetryAfter = 120_000;

/** Milliseconds to wait, from Retry-After in seconds or as an HTTP date (RFC 9110, 10.2.3); undefined for nonsense. */
export function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  const wait = /^\s*\d+(\.\d+)?\s*$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now;
  return Number.isFinite(wait) && wait >= 0 && wait <= maxRetryAfter ? wait : undefined;
}

/** How long the API asks to wait, in milliseconds. */
export function retryAfterOf(result: AttemptResult): number | undefined {
  return 'status' in result ? parseRetryAfter(result.headers.retryAfter, Date.now()) : undefined;
}
