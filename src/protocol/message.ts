import * as z from 'zod';
import { isTooDeep, maxDepth } from '../mcp/input/parse-input.ts';
import { cutToBytes } from '../shared/clean-text.ts';
import { maxRefusal, rpcCodes } from '../shared/errors.ts';
import { withCommas } from '../shared/invalid-input.ts';
import { isObject } from '../shared/json.ts';
import { exceededBy } from '../shared/json-limits.ts';

// Limits of what a client may send, on stdin and over HTTP. Limits of connections are in src/server/http/listener.ts,
// limits of sessions in legacy/sessions.ts.

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

/** Bytes of `_meta` in one message. */
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

const largeMeta = `its _meta is larger than ${maxMetaBytes / 1024} KiB`;

/** Whether a text has more JSON values than a request may. Checked before parsing. */
export function hasTooManyValues(text: string): boolean {
  return exceededBy(text, { values: maxRequestValues }) !== undefined;
}

export const tooManyValues = `it contains more than ${withCommas(maxRequestValues)} values`;

/** A text in the params of a request. */
export const textOfAtMost = (max: number) => z.string('must be text').max(max, `must have at most ${max} characters`);

const object = z.custom(isObject, 'must be an object');
/** Their length does not matter: they are cut. */
const hasName = (info: unknown) => isObject(info) && typeof info.name === 'string' && typeof info.version === 'string';
const hasFewBytes = (capabilities: unknown) => !isLarger(capabilities, maxCapabilitiesBytes);

/** The params of requests that the SDK of 2025-11-25 answers itself: it would answer wrong ones with the output of its validator. */
const paramsOf: Readonly<Record<string, z.ZodType>> = {
  initialize: z.looseObject({
    protocolVersion: textOfAtMost(100),
    capabilities: object.refine(hasFewBytes, `must have at most ${maxCapabilitiesBytes / 1024} KiB`),
    clientInfo: z.custom(hasName, 'must have a name and a version'),
  }),
  'logging/setLevel': z.looseObject({ level: textOfAtMost(100) }),
};

/** Why the params of a request are invalid; undefined for valid ones and for methods without a check. */
function paramsProblem({ id, method = '', params = {} }: Message): string | undefined {
  if (id === undefined || !Object.hasOwn(paramsOf, method)) return undefined;
  const [issue] = paramsOf[method]?.safeParse(params).error?.issues ?? [];
  return issue && `${issue.path.join('.')} ${issue.message}`;
}

export type Id = string | number;

/** A JSON-RPC 2.0 message as MCP defines it in both eras: no batches, ids are text or whole numbers. */
export type Message = { jsonrpc: '2.0'; id?: Id; method?: string; params?: Record<string, unknown> };

export interface InvalidMessage {
  /** Does not quote the message, which may contain data of a student. */
  readonly problem: string;
  /** The error to send; undefined for notifications and responses, which are never answered. */
  readonly reply: object | undefined;
}

function reply(id: Id | undefined, code: number, message: string): object {
  return { jsonrpc: '2.0', ...(id === undefined ? {} : { id }), error: { code, message } };
}

/** A line that is not JSON. Its reply has no id: JSON-RPC requires null, which the schema of MCP does not allow. */
export function parseError(problem: string): InvalidMessage {
  return { problem, reply: reply(undefined, rpcCodes.parse, `Parse error: ${problem}`) };
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

/** Returns the id of the request that a message cancels. */
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
  if (value.jsonrpc !== '2.0') return 'its jsonrpc is not "2.0"';
  if ('id' in value && !isId(value.id)) {
    return `its id is neither text of at most ${maxId} characters nor a whole number`;
  }
  if ('method' in value && typeof value.method !== 'string') return 'its method is not text';
  if (typeof value.method === 'string' && value.method.length > maxMethod) {
    return `its method is longer than ${maxMethod} characters`;
  }
  if (value.params !== undefined && !isObject(value.params)) return 'its params are not an object';
  if (hasLargeMeta(value.params) || hasLargeMeta(value.result)) return largeMeta;
  if (isDeepMessage(value)) return `it is nested deeper than ${maxDepth} levels`;
  if (hasBadMeta(value.params) || hasBadMeta(value.result)) return 'its _meta is invalid';
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
  return { problem, reply: reply(id, rpcCodes.invalidRequest, `Invalid request: ${problem}`) };
}

export function invalidParams(id: Id | undefined, problem: string): InvalidMessage {
  return { problem, reply: reply(id, rpcCodes.invalidParams, `Invalid params: ${problem}`) };
}

/** Refuses a request that would exceed `maxPendingBytes`. */
export function tooManyPending(id: Id): InvalidMessage {
  const problem = `unanswered requests may hold at most ${maxPendingBytes / 2 ** 20} MiB together`;
  return {
    problem,
    reply: reply(id, rpcCodes.server, `Too many requests: ${problem}. Try again when others have ended.`),
  };
}

export function errorReplyOf({ problem, reply: given }: InvalidMessage): object {
  return given ?? reply(undefined, rpcCodes.invalidRequest, `Invalid request: ${problem}`);
}

/** Reduces initialize to what a session keeps. Icons and the like are dropped. */
function withShortParams(message: Message): Message {
  const { method, params = {} } = message;
  const { clientInfo, protocolVersion, capabilities } = params;
  if (method !== 'initialize' || !isObject(clientInfo)) return message;
  const [name, version] = [clientInfo.name, clientInfo.version].map((text) =>
    String(text).slice(0, maxClientNameLength),
  );
  return { ...message, params: { protocolVersion, capabilities, clientInfo: { name, version } } };
}

export function validateMessage(value: unknown): Message | InvalidMessage {
  const problem = messageProblem(value);
  if (problem !== undefined) return invalidMessage(value, problem);
  const message = value as Message;
  // 2026-07-28 has removed these methods: there they are unknown, whatever their params.
  const wrongParams = hasModernVersion(message) ? undefined : paramsProblem(message);
  if (wrongParams === undefined) return withShortParams(message);
  return invalidParams(message.id, wrongParams);
}

/** Parses and checks one line of the stdio transport. */
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
