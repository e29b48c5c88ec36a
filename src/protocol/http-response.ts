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

/** Sends a response without a body. */
export function sendEmpty(response: ServerResponse, status: number, headers: Headers = {}): void {
  if (response.headersSent) return;
  response.writeHead(status, { ...commonHeaders, ...headers });
  response.end();
}

/** Sends a JSON-RPC error without an id: the request is refused before it is read. */
export function sendError(
  response: ServerResponse,
  status: number,
  message: string,
  headers: Headers = {},
  code: number = rpcCodes.server,
): void {
  sendJson(response, status, { jsonrpc: '2.0', error: { code, message } }, headers);
}

/** A request to /mcp that has passed authentication and the rate limit. */
export interface AcceptedRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly principal: Principal;
  /** Counts `count` more requests against the caller. If that exceeds a limit, sends the refusal and resolves to false. */
  addRequests(count: number): Promise<boolean>;
  /** Counts `bytes` more body bytes against the caller; false if that exceeds the limit. */
  addBytes(bytes: number): boolean;
  /** Counts the call as in flight until it settles. */
  trackCall(call: Promise<unknown>): void;
}

export interface McpRequest extends AcceptedRequest {
  /** Parsed JSON of a POST; undefined for other methods. */
  readonly body: unknown;
}

/** Serves the clients of one protocol era over HTTP. */
export interface Era {
  /** Resolves once the response is written or its stream is open. */
  serve(request: McpRequest): Promise<void>;
  /** Ends every open call and stream. */
  close(): Promise<void>;
}

export type EraLoader = () => Promise<Era>;
