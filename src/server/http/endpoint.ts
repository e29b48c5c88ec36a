import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Principal } from '../../mcp/principal.ts';
import { claimsModern, namesModern } from '../../protocol/era.ts';
import { answerError } from '../../protocol/http-answer.ts';
import { rpcCodes } from '../../shared/errors.ts';
import { soon } from './caller-limits.ts';
import { discard, readJson } from './read-body.ts';

/** A request to /mcp that may enter. */
export interface Incoming {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly principal: Principal;
  /** Counts so many requests more against the caller. Answers for itself and is false where that is too many. */
  enter(count: number): Promise<boolean>;
  /** Counts so many bytes more of the body against the caller; false where that is too many. */
  carry(bytes: number): boolean;
  /** Counts this call as under way until it has ended. */
  hold(call: Promise<unknown>): void;
}

export interface McpRequest extends Incoming {
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

export interface EndpointOptions {
  legacy: EraLoader;
  modern: EraLoader;
}

function once(load: EraLoader) {
  let loaded: Promise<Era> | undefined;
  return {
    get: () => (loaded ??= load()),
    close: async () => (await loaded)?.close(),
  };
}

function isBatchTooLarge(body: unknown): boolean {
  return Array.isArray(body) && (body.length === 0 || body.length > largestBatch);
}

/** Messages. 2025-03-26 alone has batches at all. */
const largestBatch = 20;

function headerOf({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : undefined;
}

/** The one address of both eras: what a request says of itself decides which of them answers. */
export function createEndpoint(options: EndpointOptions) {
  const legacy = once(options.legacy);
  const modern = once(options.modern);

  async function serve(incoming: Incoming): Promise<void> {
    const { request, response } = incoming;
    const isNamed = namesModern(headerOf(request, 'mcp-protocol-version'));
    if (request.method !== 'POST') {
      const era = isNamed ? modern : legacy;
      return await (await era.get()).serve({ ...incoming, body: undefined });
    }
    const read = await readJson(request, incoming.carry);
    if ('problem' in read) {
      await discard(request);
      // Where there was still more of it, the connection cannot be used again.
      const headers = { connection: 'close', ...(read.status === 429 ? { 'retry-after': String(soon) } : {}) };
      const code = read.status === 400 ? rpcCodes.parse : rpcCodes.server;
      return answerError(response, read.status, read.problem, headers, code);
    }
    if (isBatchTooLarge(read.value)) {
      const message = `A batch must hold 1 to ${largestBatch} messages`;
      return answerError(response, 400, message, {}, rpcCodes.invalidRequest);
    }
    // The first of them has been counted.
    if (Array.isArray(read.value) && !(await incoming.enter(read.value.length - 1))) return;
    const era = isNamed || claimsModern(read.value) ? modern : legacy;
    await (await era.get()).serve({ ...incoming, body: read.value });
  }

  return { serve, close: async () => void (await Promise.all([legacy.close(), modern.close()])) };
}
