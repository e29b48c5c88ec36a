import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Principal } from '../mcp/principal.ts';
import { rpcCodes } from '../shared/errors.ts';

/** Headers of every response: no cache may store it, and no client may guess its type. */
export const commonHeaders = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

/** Calls back when the response closes, finished or not; immediately if it is closed already. */
export function onClosed(response: ServerResponse, callback: () => void): void {
  if (response.destroyed) callback();
  else response.once('close', callback);
}

/** Calls back if the client closes the connection before the answer is complete. */
export function onDisconnect(response: ServerResponse, callback: () => void): void {
  onClosed(response, () => {
    if (!response.writableFinished) callback();
  });
}

/** Aborts when the client disconnects, which cancels a call of 2026-07-28 (specification, "Cancellation"). */
export function disconnectSignal(response: ServerResponse): AbortSignal {
  const disconnected = new AbortController();
  onDisconnect(response, () => disconnected.abort());
  return disconnected.signal;
}

export type Headers = Record<string, string>;

export function sendText(response: ServerResponse, status: number, text: string, headers: Headers): void {
  if (response.headersSent) return;
  const length = String(Buffer.byteLength(text));
  response.writeHead(status, { ...commonHeaders, 'content-length': length, ...headers });
  response.end(text);
}

export function sendJson(response: ServerResponse, status: number, body: object, headers: Headers = {}): void {
  sendText(response, status, JSON.stringify(body), { 'content-type': 'application/json', ...headers });
}

export function sendEmpty(response: ServerResponse, status: number, headers: Headers = {}): void {
  if (response.headersSent) return;
  response.writeHead(status, { ...commonHeaders, ...headers });
  response.end();
}

/** Ends a request with a JSON-RPC error without an id: it is refused before it is read. The listener sends it. */
export class HttpRefusal extends Error {
  readonly status: number;
  readonly headers: Headers;
  readonly code: number;
  constructor(status: number, message: string, headers: Headers = {}, code: number = rpcCodes.server) {
    super(message);
    this.status = status;
    this.headers = headers;
    this.code = code;
  }
}

export function sendRefusal(response: ServerResponse, { status, message, headers, code }: HttpRefusal): void {
  sendJson(response, status, { jsonrpc: '2.0', error: { code, message } }, headers);
}

/** A request to /mcp that has passed authentication and the rate limit. */
export interface AcceptedRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly principal: Principal;
  /** Counts `count` more requests against the caller. Throws `HttpRefusal` if that exceeds a limit. */
  addRequests(count: number): Promise<void>;
  /** Counts `bytes` more body bytes against the caller; false if that exceeds the limit. */
  addBytes(bytes: number): boolean;
  /** Counts the call as in flight until it settles. */
  trackCall(call: Promise<unknown>): void;
}

export interface McpRequest extends AcceptedRequest {
  /** Parsed JSON of a POST; undefined for other methods. */
  readonly body: unknown;
}

export interface Era {
  /** Resolves once the response is written or its stream is open. */
  serve(request: McpRequest): Promise<void>;
  close(): Promise<void>;
}
