import type { IncomingMessage, ServerResponse } from 'node:http';
import { InitializeRequestSchema, SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/sdk/types.js';
import { rpcCodes } from '../../shared/errors.ts';
import { sendError } from '../http-response.ts';
import { errorReplyOf, invalidParams, type Message, validateMessage } from '../message.ts';

/** Why a whole HTTP request is refused. */
export interface Problem {
  readonly status: number;
  readonly problem: string;
  /** JSON-RPC error code; default `rpcCodes.server`. */
  readonly code?: number;
}

export function refuse(
  response: ServerResponse,
  { status, problem, code }: Problem,
  headers: Record<string, string> = {},
): void {
  sendError(response, status, problem, headers, code);
}

export function versionOf({ headers }: IncomingMessage): string | undefined {
  const version = headers['mcp-protocol-version'];
  return version === undefined ? undefined : String(version);
}

/** Checks the header that every request after initialize carries. initialize has its version in its params. */
export function versionProblem(request: IncomingMessage): Problem | undefined {
  const version = versionOf(request);
  if (version === undefined || SUPPORTED_PROTOCOL_VERSIONS.includes(version)) return undefined;
  const supported = SUPPORTED_PROTOCOL_VERSIONS.join(', ');
  return { status: 400, problem: `Unsupported protocol version (supported versions: ${supported})` };
}

/** Checks that the client accepts these types. Specification 2025-11-25, "Transports". */
export function acceptProblem({ headers }: IncomingMessage, types: readonly string[]): Problem | undefined {
  const accepted = (headers.accept ?? '').split(',').map((range) => range.split(';', 1)[0]?.trim().toLowerCase());
  const readsAll = accepted.includes('*/*') || types.every((type) => accepted.includes(type));
  return readsAll ? undefined : { status: 406, problem: `Accept must list ${types.join(' and ')}` };
}

/** Returns the messages of a body, or the error reply to the first invalid one. */
export function parseMessages(body: unknown): Message[] | object {
  const messages: Message[] = [];
  for (const value of Array.isArray(body) ? body : [body]) {
    const read = validateMessage(value);
    if ('problem' in read) return errorReplyOf(read);
    // The SDK would answer with -32603 and the whole output of its validator.
    if (isInitialize(read) && !InitializeRequestSchema.safeParse(read).success) {
      return errorReplyOf(invalidParams(read.id, 'they do not match initialize'));
    }
    messages.push(read);
  }
  return messages;
}

/** The only version with batches, and the default for a client that names no version (specification, "Transports"). */
const batchVersion = '2025-03-26';

/** Why a body is not a valid batch in this version; undefined for a valid batch or a single message. */
export function batchProblem(body: unknown, version: string = batchVersion): Problem | undefined {
  if (!Array.isArray(body)) return undefined;
  const invalid = (problem: string) => ({ status: 400, problem, code: rpcCodes.invalidRequest });
  if (version !== batchVersion) return invalid(`Batches are allowed only in version ${batchVersion}`);
  const ids = (body as Message[]).filter(expectsAnswer).map(({ id }) => id);
  return new Set(ids).size === ids.length ? undefined : invalid('Two requests in the batch have the same id');
}

export const expectsAnswer = ({ id, method }: Message): boolean => id !== undefined && method !== undefined;
/** An initialize without an id is no request: it gets no answer, so it cannot open a session. */
export const isInitialize = (message: Message): boolean => expectsAnswer(message) && message.method === 'initialize';
