import type { IncomingMessage, ServerResponse } from 'node:http';
import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/sdk/types.js';
import { rpcCodes } from '../errors.ts';
import { answerError } from '../transport/http/answer.ts';
import { asMessage, type Message } from '../transport/message.ts';

/** A refusal of a whole request. */
export interface Problem {
  readonly status: number;
  readonly problem: string;
}

export function refuse(
  response: ServerResponse,
  { status, problem }: Problem,
  headers: Record<string, string> = {},
): void {
  answerError(response, status, problem, headers);
}

/** The header comes with every request after the first, whose version stands in it. */
export function versionProblem({ headers }: IncomingMessage): Problem | undefined {
  const version = headers['mcp-protocol-version'];
  if (version === undefined || SUPPORTED_PROTOCOL_VERSIONS.includes(String(version))) return undefined;
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
export function readMessages(body: unknown): Message[] | object {
  const messages: Message[] = [];
  for (const value of Array.isArray(body) ? body : [body]) {
    const read = asMessage(value);
    if ('problem' in read) {
      const error = { code: rpcCodes.invalidRequest, message: `Invalid request: ${read.problem}` };
      return read.reply ?? { jsonrpc: '2.0', error };
    }
    messages.push(read);
  }
  return messages;
}

export const expectsAnswer = ({ id, method }: Message): boolean => id !== undefined && method !== undefined;
/** As a notification it asks for no session, and would wait for ever for the answer that opens one. */
export const isInitialize = (message: Message): boolean => expectsAnswer(message) && message.method === 'initialize';
