import * as z from 'zod';
import { isTooDeep, maxDepth } from '../mcp/input/parse-input.ts';
import { cutToBytes } from '../shared/clean-text.ts';
import { maxRefusal, rpcCodes } from '../shared/errors.ts';
import { withCommas } from '../shared/invalid-input.ts';
import { isObject, type Json } from '../shared/json.ts';
import { exceededBy } from '../shared/json-limits.ts';

// Limits of what a client may send, on stdin and over HTTP. Those of connections: src/server/http/listener.ts.

/** Key in `_meta` of every request of 2026-07-28 and later. Specification, "Requests". */
const versionKey = 'io.modelcontextprotocol/protocolVersion';

/** Versions of the protocol that this program speaks, the newest first. Both SDKs list their own: a test compares them. */
export const supportedVersions = [
  '2026-07-28',
  '2025-11-25',
  '2025-06-18',
  '2025-03-26',
  '2024-11-05',
  '2024-10-07',
] as const;

/** The first version without sessions. Versions are dates, so comparing them as text orders them. */
const firstModern = '2026-07-28';

/** Whether a message names its protocol version in `_meta`, as every request of 2026-07-28 and later does. */
export function hasModernVersion(message: unknown): boolean {
  const params = isObject(message) ? message.params : undefined;
  return isObject(params) && isObject(params._meta) && versionKey in params._meta;
}

/** Whether an MCP-Protocol-Version header names 2026-07-28 or later. */
export function isModernVersion(header: unknown): boolean {
  return typeof header === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(header) && header >= firstModern;
}

const maxMetaBytes = 16 * 1024;

/** Bytes of `capabilities` in initialize, which a session keeps. */
const maxCapabilitiesBytes = 16 * 1024;

/** Characters of each of the name and the version of a client, which a session keeps. */
const maxClientNameLength = 200;

/** Bytes of all unanswered requests of one caller, over all its sessions. */
export const maxPendingBytes = 8 * 2 ** 20;

/** JSON values in one request or line: each can take hundreds of bytes of memory. */
const maxRequestValues = 200_000;

function isLarger(value: unknown, bytes: number): boolean {
  try {
    return Buffer.byteLength(JSON.stringify(value) ?? '') > bytes;
  } catch {
    // The value is nested too deeply for JSON.stringify.
    return true;
  }
}

function hasLargeMeta(holder: unknown): boolean {
  return isObject(holder) && holder._meta !== undefined && isLarger(holder._meta, maxMetaBytes);
}

export function hasTooManyValues(text: string): boolean {
  return exceededBy(text, { values: maxRequestValues }) !== undefined;
}

export const tooManyValues = `it contains more than ${withCommas(maxRequestValues)} values`;

export const textOfAtMost = (max: number) => z.string('must be text').max(max, `must have at most ${max} characters`);

const cutText = z.string('must be text').transform((text) => text.slice(0, maxClientNameLength));

/** Requests that the SDK of 2025-11-25 answers itself, and refuses with the output of its validator. */
const paramsOf = new Map<string | undefined, z.ZodType<Json>>([
  [
    'initialize',
    z.object({
      protocolVersion: textOfAtMost(100),
      capabilities: z
        .custom(isObject, 'must be an object')
        .refine(
          (value) => !isLarger(value, maxCapabilitiesBytes),
          `must have at most ${maxCapabilitiesBytes / 1024} KiB`,
        ),
      // Icons and the like are dropped.
      clientInfo: z.object({ name: cutText, version: cutText }, 'must be an object'),
    }),
  ],
  ['logging/setLevel', z.looseObject({ level: textOfAtMost(100) })],
]);

export type Id = string | number;

/** A JSON-RPC 2.0 message as MCP defines it in both eras: no batches, ids are text or whole numbers. */
export type Message = { jsonrpc: '2.0'; id?: Id; method?: string; params?: Record<string, unknown> };

export interface InvalidMessage {
  /** Does not quote the message, which may contain data of a student. */
  readonly problem: string;
  /** The error to send; undefined for notifications and responses, which are never answered. */
  readonly reply: object | undefined;
}

function refusal(id: Id | undefined, code: number, what: string, problem: string) {
  const error = { code, message: `${what}: ${problem}` };
  return { problem, reply: { jsonrpc: '2.0', ...(id === undefined ? {} : { id }), error } };
}

/** A line that is not JSON. Its reply has no id: JSON-RPC requires null, which the schema of MCP does not allow. */
export const parseError = (problem: string): InvalidMessage =>
  refusal(undefined, rpcCodes.parse, 'Parse error', problem);

export const invalidParams = (id: Id | undefined, problem: string): InvalidMessage =>
  refusal(id, rpcCodes.invalidParams, 'Invalid params', problem);

export function tooManyPending(id: Id): InvalidMessage {
  const most = `unanswered requests may hold at most ${maxPendingBytes / 2 ** 20} MiB together`;
  return refusal(id, rpcCodes.server, 'Too many requests', `${most}. Try again when others have ended.`);
}

/** The reply to a message over HTTP, where even one that JSON-RPC never answers gets one. */
export function errorReplyOf({ problem, reply }: InvalidMessage): object {
  return reply ?? refusal(undefined, rpcCodes.invalidRequest, 'Invalid request', problem).reply;
}

/** Characters. An answer repeats its id, and each progress notification repeats its token. */
const maxId = 256;
const maxMethod = 100;

/** Whether a value is a JSON-RPC id. In MCP an id is never null. */
function isId(value: unknown): value is Id {
  return typeof value === 'string' ? value.length <= maxId : Number.isSafeInteger(value);
}

/** Skips the arguments of a tool: its schema checks them, and a refusal is the result of the call. */
function isDeepMessage({ params, ...fields }: Record<string, unknown>): boolean {
  const { arguments: _arguments, ...others } = isObject(params) ? params : { params };
  return isTooDeep(fields) || isTooDeep(others);
}

export function isRequest(message: Message): message is Message & { id: Id; method: string } {
  return message.method !== undefined && message.id !== undefined;
}

export function isAnswer(message: object): message is { id: Id } {
  return !('method' in message) && 'id' in message && isId(message.id);
}

export function cancelledBy({ method, params }: Message): Id | undefined {
  const id = method === 'notifications/cancelled' && isObject(params) ? params.requestId : undefined;
  return isId(id) ? id : undefined;
}

/** Both SDKs silently drop a message with an unknown field, so its sender would wait forever. */
function hasFieldsOfMessage({ jsonrpc, id, ...rest }: Record<string, unknown>): boolean {
  const { method, result, error } = rest;
  const has = (...names: string[]) => Object.keys(rest).every((name) => names.includes(name));
  if (method !== undefined) return has('method', 'params');
  if (result !== undefined) return has('result') && id !== undefined && isObject(result);
  return has('error') && isObject(error) && Number.isInteger(error.code) && typeof error.message === 'string';
}

const relatedTask = 'io.modelcontextprotocol/related-task';

/** Checks the fields of `_meta` that are read before a message reaches its handler. */
function hasBadMeta(holder: unknown): boolean {
  if (!isObject(holder) || holder._meta === undefined) return false;
  if (!isObject(holder._meta)) return true;
  const { progressToken, [relatedTask]: task } = holder._meta;
  const isBadTask = task !== undefined && !(isObject(task) && typeof task.taskId === 'string');
  return isBadTask || (progressToken !== undefined && !isId(progressToken));
}

function messageProblem(value: unknown): string | undefined {
  if (Array.isArray(value)) return 'it is a batch, which this version of MCP does not support';
  if (!isObject(value)) return 'it is not an object';
  const { jsonrpc, id, method, params, result } = value;
  if (jsonrpc !== '2.0') return 'its jsonrpc is not "2.0"';
  if ('id' in value && !isId(id)) return `its id is neither text of at most ${maxId} characters nor a whole number`;
  if ('method' in value && typeof method !== 'string') return 'its method is not text';
  if (typeof method === 'string' && method.length > maxMethod)
    return `its method is longer than ${maxMethod} characters`;
  if (params !== undefined && !isObject(params)) return 'its params are not an object';
  if (hasLargeMeta(params) || hasLargeMeta(result)) return `its _meta is larger than ${maxMetaBytes / 1024} KiB`;
  if (isDeepMessage(value)) return `it is nested deeper than ${maxDepth} levels`;
  if (hasBadMeta(params) || hasBadMeta(result)) return 'its _meta is invalid';
  return hasFieldsOfMessage(value) ? undefined : 'it has fields that a message does not have, or lacks required ones';
}

function isNeverAnswered(value: unknown): boolean {
  if (!isObject(value)) return false;
  if ('method' in value) return typeof value.method === 'string' && !('id' in value);
  return 'result' in value || 'error' in value;
}

function invalidMessage(value: unknown, problem: string): InvalidMessage {
  if (isNeverAnswered(value)) return { problem, reply: undefined };
  const id = isObject(value) && isId(value.id) ? value.id : undefined;
  return refusal(id, rpcCodes.invalidRequest, 'Invalid request', problem);
}

/** Checks the params of a request, unless its handler does. */
function withCheckedParams(message: Message): Message | InvalidMessage {
  const { id, method, params = {} } = message;
  const schema = paramsOf.get(method);
  // 2026-07-28 has removed these methods: there they are unknown, and their params do not matter.
  if (schema === undefined || id === undefined || hasModernVersion(message)) return message;
  const { data, error } = schema.safeParse(params);
  const [issue] = error?.issues ?? [];
  if (issue !== undefined) return invalidParams(id, `${issue.path.join('.')} ${issue.message}`);
  return { ...message, params: data ?? {} };
}

export function validateMessage(value: unknown): Message | InvalidMessage {
  const problem = messageProblem(value);
  return problem === undefined ? withCheckedParams(value as Message) : invalidMessage(value, problem);
}

export function parseMessage(line: string): Message | InvalidMessage {
  if (hasTooManyValues(line)) return parseError(tooManyValues);
  try {
    return validateMessage(JSON.parse(line));
  } catch {
    return parseError('it is not valid JSON');
  }
}

/** Bytes for the code and punctuation of an error, in addition to its message. */
const codeBytes = 100;

/** Shortens an error of more than `maxRefusal` bytes: removes its data and cuts its message. An SDK quotes what it received. */
export function limitErrorSize<Sent extends object>(message: Sent): Sent {
  const error = 'error' in message ? message.error : undefined;
  if (!isObject(error) || Buffer.byteLength(JSON.stringify(error)) <= maxRefusal) return message;
  const text = typeof error.message === 'string' ? error.message : '';
  return { ...message, error: { code: error.code, message: cutToBytes(text, maxRefusal - codeBytes) } };
}
