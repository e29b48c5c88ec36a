import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Principal } from '../mcp/principal.ts';

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

/** Loads an era when its first client connects. */
export type EraLoader = () => Promise<Era>;
