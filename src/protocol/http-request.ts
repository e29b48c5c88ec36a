import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Principal } from '../mcp/principal.ts';

/** A request to /mcp that may enter. */
export interface AcceptedRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly principal: Principal;
  /** Counts so many requests more against the caller. Answers for itself and is false where that is too many. */
  addRequests(count: number): Promise<boolean>;
  /** Counts so many bytes more of the body against the caller; false where that is too many. */
  addBytes(bytes: number): boolean;
  /** Counts this call as under way until it has ended. */
  trackCall(call: Promise<unknown>): void;
}

export interface McpRequest extends AcceptedRequest {
  /** The JSON of a POST; undefined for other methods. */
  readonly body: unknown;
}

/** One protocol era over HTTP. */
export interface Era {
  /** Resolves when the answer has been written, or its stream opened. */
  serve(request: McpRequest): Promise<void>;
  /** Ends all that is under way, streams too. */
  close(): Promise<void>;
}

/** Loads an era when its first client comes. */
export type EraLoader = () => Promise<Era>;
