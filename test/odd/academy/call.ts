import type { Json } from './state.ts';

/** A request in the form that the handlers read. */
export interface Call {
  readonly method: string;
  readonly path: string;
  /** For example "orders.list"; empty if the endpoint does not exist. */
  readonly route: string;
  /** Segments of the path that are parameters. */
  readonly ids: readonly string[];
  readonly query: Record<string, string>;
  readonly body: Json;
}

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent as JSON; undefined for an empty body. */
  readonly body: unknown;
  /** Sent unchanged instead of the body. */
  readonly raw?: string | Buffer;
  /** The connection ends after this many bytes of the body. */
  readonly cutAfter?: number;
}

export const ok = (body: unknown, status = 200): Reply => ({ status, headers: {}, body });

export function failure(status: number, code: string, message: string, more: Json = {}): Reply {
  const body = { error: message, errors: [{ code, message }], request_id: 'req-odd', ...more };
  return { status, headers: {}, body };
}

export const notFound = () => failure(404, 'not_found', 'Record not found');

export function html(status: number, text: string, headers: Record<string, string> = {}): Reply {
  return { status, headers: { 'content-type': 'text/html; charset=utf-8', ...headers }, body: undefined, raw: text };
}

/** The effect of a write, and its answer after the effect was done (or not). */
export interface Write {
  effect(): void;
  answer(): Reply;
}

export function isWrite(given: Reply | Write): given is Write {
  return 'effect' in given;
}
