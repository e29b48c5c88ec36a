import type { IncomingMessage, ServerResponse } from 'node:http';
import { InitializeRequestSchema, SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/sdk/types.js';
import { rpcCodes } from '../../shared/errors.ts';
import { sendError } from '../http-response.ts';
import { errorReplyOf, invalidParams, type Message, validateMessage } from '../message.ts';

/** A refusal of a whole request. */
export interface Problem {
  readonly status: number;
  readonly problem: string;
  /** Of JSON-RPC; `server` where it is undefined. */
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

/** The header comes with every request after the first, whose version stands in it. */
export function versionProblem(request: IncomingMessage): Problem | undefined {
  const version = versionOf(request);
  if (version === undefined || SUPPORTED_PROTOCOL_VERSIONS.includes(version)) return undefined;
  const supported = SUPPORTED_PROTOCOL_VERSIONS.join(', ');
  return { status: 400, problem: `Unsupported protocol version (supported versions: ${supported})` };
}

/** Specification 2025-11-25, "Transports": a client names the types that it can read. */
export function acceptProblem({ headers }: IncomingMessage, types: readonly string[]): Problem | undefined {
  const accepted = (headers.accept ?? '').split(',').map((range) => range.split(';', 1)[0]?.trim().toLowerCase());
  const readsAll = accepted.includes('*/*') || types.every((type) => accepted.includes(type));
  return readsAll ? undefined : { status: 406, problem: `Accept must list ${types.join(' and ')}` };
}

/** The messages of a body, or the answer to the first that is none. */
export function parseMessages(body: unknown): Message[] | object {
  const messages: Message[] = [];
  for (const value of Array.isArray(body) ? body : [body]) {
    const read = validateMessage(value);
    if ('problem' in read) return errorReplyOf(read);
    // The SDK would answer with the whole output of its validator, and -32603.
    if (isInitialize(read) && !InitializeRequestSchema.safeParse(read).success) {
      return errorReplyOf(invalidParams(read.id, 'they are not those of initialize'));
    }
    messages.push(read);
  }
  return messages;
}

/** The one version with batches. For a client that names none, it is taken to speak this one (specification, "Transports"). */
const withBatches = '2025-03-26';

/** What is wrong with a body as a batch, from a client that speaks this version. */
export function batchProblem(body: unknown, version: string = withBatches): Problem | undefined {
  if (!Array.isArray(body)) return undefined;
  const invalid = (problem: string) => ({ status: 400, problem, code: rpcCodes.invalidRequest });
  if (version !== withBatches) return invalid(`Batches are part of version ${withBatches} alone`);
  const ids = (body as Message[]).filter(expectsAnswer).map(({ id }) => id);
  return new Set(ids).size === ids.length ? undefined : invalid('Two requests of the batch have the same id');
}

export const expectsAnswer = ({ id, method }: Message): boolean => id !== undefined && method !== undefined;
/** As a notification it asks for no session, and would wait for ever for the answer that opens one. */
export const isInitialize = (message: Message): boolean => expectsAnswer(message) && message.method === 'initialize';
