import {
  ErrorCode,
  type JSONRPCMessage,
  JSONRPCMessageSchema,
  type RequestId,
  RequestIdSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { isObject } from '../api/tolerate.ts';

/** What stands in place of a message. */
export interface Unreadable {
  /** In our own words: the line itself may be about a student. */
  readonly problem: string;
  /** The error to answer with; undefined for what is never answered: notifications, and answers themselves. */
  readonly reply: object | undefined;
}

function reply(id: RequestId | undefined, code: ErrorCode, message: string): object {
  return { jsonrpc: '2.0', ...(id === undefined ? {} : { id }), error: { code, message } };
}

/** A line that is no JSON at all. An id that cannot be told is left out: JSON-RPC would say null, which MCP's schema does not allow. */
export function unreadable(problem: string): Unreadable {
  return { problem, reply: reply(undefined, ErrorCode.ParseError, `Parse error: ${problem}`) };
}

function problemOf(value: unknown): string {
  if (Array.isArray(value)) return 'it is a batch, which MCP does not have';
  if (!isObject(value)) return 'it is not an object';
  if (value.jsonrpc !== '2.0') return 'its jsonrpc is not "2.0"';
  if ('id' in value && !RequestIdSchema.safeParse(value.id).success) return 'its id is neither text nor a whole number';
  if ('method' in value && typeof value.method !== 'string') return 'its method is not text';
  if ('params' in value && !isObject(value.params)) return 'its params are not an object';
  return 'its fields are not those of a message';
}

function isNeverAnswered(value: unknown): boolean {
  if (!isObject(value)) return false;
  if ('method' in value) return typeof value.method === 'string' && !('id' in value);
  return 'result' in value || 'error' in value;
}

function notMessage(value: unknown): Unreadable {
  const problem = problemOf(value);
  if (isNeverAnswered(value)) return { problem, reply: undefined };
  const id = RequestIdSchema.safeParse(isObject(value) ? value.id : undefined).data;
  return { problem, reply: reply(id, ErrorCode.InvalidRequest, `Invalid request: ${problem}`) };
}

/** Reads one line of the stdio transport. */
export function readMessage(line: string): JSONRPCMessage | Unreadable {
  try {
    const value: unknown = JSON.parse(line);
    return JSONRPCMessageSchema.safeParse(value).data ?? notMessage(value);
  } catch {
    return unreadable('it is not readable JSON');
  }
}
