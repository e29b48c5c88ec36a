import { isTooDeep, maxDepth } from '../mcp/input/parse-input.ts';
import { rpcCodes } from '../shared/errors.ts';
import { withCommas } from '../shared/invalid-input.ts';
import { isObject } from '../shared/json.ts';
import { exceededBy } from '../shared/json-limits.ts';

// Limits of what a client may send, on stdin and over HTTP. Limits of connections are in src/server/http/listener.ts
// and src/server/http/listener.ts, limits of sessions in legacy/sessions.ts.

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
export function isModernVersion(header: string | undefined): boolean {
  return header !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(header) && header >= firstModern;
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

// Checks the params of a request before an SDK does: an SDK would answer with the whole output of its validator.
// Arguments of tools and prompts have limits of their own.

type Params = Record<string, unknown>;
type Check = (params: Params) => string | undefined;

const maxNameLength = 255;
const maxUriLength = 2_000;
/** For a request state, which is a code that the server issued, and for a version, which is a date. */
const maxTokenLength = 100;

function isText(value: unknown, maxLength: number): value is string {
  return typeof value === 'string' && value.length <= maxLength;
}

function textProblem(name: string, value: unknown, maxLength: number): string | undefined {
  if (typeof value !== 'string') return `${name} must be text`;
  return value.length > maxLength ? `${name} must have at most ${maxLength} characters` : undefined;
}

function initializeProblem({ protocolVersion, capabilities, clientInfo }: Params): string | undefined {
  const wrongVersion = textProblem('protocolVersion', protocolVersion, maxTokenLength);
  if (wrongVersion !== undefined) return wrongVersion;
  if (!isObject(capabilities)) return 'capabilities must be an object';
  if (isLarger(capabilities, maxCapabilitiesBytes)) {
    return `capabilities are larger than ${maxCapabilitiesBytes / 1024} KiB`;
  }
  // Their length does not matter: they are cut.
  const names = isObject(clientInfo) ? [clientInfo.name, clientInfo.version] : [undefined];
  return names.every((text) => typeof text === 'string') ? undefined : 'clientInfo must have a name and a version';
}

function callProblem({ name, arguments: args, requestState }: Params): string | undefined {
  if (!isText(name, maxNameLength)) return `name must be the name of a tool, of at most ${maxNameLength} characters`;
  const wrongState = requestState === undefined ? undefined : textProblem('requestState', requestState, maxTokenLength);
  if (wrongState !== undefined) return wrongState;
  return args === undefined || isObject(args) ? undefined : 'arguments must be an object';
}

const isTexts = (value: unknown) => isObject(value) && Object.values(value).every((entry) => typeof entry === 'string');

function promptProblem({ name, arguments: args }: Params): string | undefined {
  const wrongName = textProblem('name', name, maxNameLength);
  if (wrongName !== undefined) return wrongName;
  return args === undefined || isTexts(args) ? undefined : 'arguments must be an object of texts';
}

function refProblem(ref: unknown): string | undefined {
  if (!isObject(ref)) return 'ref must be an object';
  if (ref.type === 'ref/prompt') return textProblem('ref.name', ref.name, maxNameLength);
  if (ref.type === 'ref/resource') return textProblem('ref.uri', ref.uri, maxUriLength);
  return 'ref.type must be ref/prompt or ref/resource';
}

function completionProblem({ ref, argument, context }: Params): string | undefined {
  const wrongRef = refProblem(ref);
  if (wrongRef !== undefined) return wrongRef;
  const isWhole = isObject(argument) && isText(argument.name, maxNameLength) && typeof argument.value === 'string';
  if (!isWhole) return `argument must have a name of at most ${maxNameLength} characters and a value`;
  const args = isObject(context) ? context.arguments : context;
  return args === undefined || isTexts(args) ? undefined : 'context must hold arguments, an object of texts';
}

const checks: ReadonlyMap<string, Check> = new Map<string, Check>([
  ['initialize', initializeProblem],
  ['tools/call', callProblem],
  ['prompts/get', promptProblem],
  ['resources/read', ({ uri }) => textProblem('uri', uri, maxUriLength)],
  ['resources/subscribe', ({ uri }) => textProblem('uri', uri, maxUriLength)],
  ['resources/unsubscribe', ({ uri }) => textProblem('uri', uri, maxUriLength)],
  ['completion/complete', completionProblem],
  ['logging/setLevel', ({ level }) => textProblem('level', level, maxTokenLength)],
]);

/** Methods that 2026-07-28 has removed. There they are unknown, whatever their params. */
const legacyOnly: ReadonlySet<string> = new Set([
  'initialize',
  'logging/setLevel',
  'resources/subscribe',
  'resources/unsubscribe',
]);

/** Why the params of a request are invalid; undefined for valid ones and for methods without a check. */
function paramsProblem(method: string | undefined, params: Params, isModern: boolean): string | undefined {
  if (method === undefined || (isModern && legacyOnly.has(method))) return undefined;
  return checks.get(method)?.(params);
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

/** Reduces clientInfo of initialize to name and version, since a session keeps it. Icons and the like are dropped. */
function withShortClientInfo(message: Message): Message {
  const { method, params = {} } = message;
  const { clientInfo } = params;
  if (method !== 'initialize' || !isObject(clientInfo)) return message;
  const [name, version] = [clientInfo.name, clientInfo.version].map((text) =>
    String(text).slice(0, maxClientNameLength),
  );
  return { ...message, params: { ...params, clientInfo: { name, version } } };
}

export function validateMessage(value: unknown): Message | InvalidMessage {
  const problem = messageProblem(value);
  if (problem !== undefined) return invalidMessage(value, problem);
  const message = value as Message;
  const wrongParams =
    message.id === undefined
      ? undefined
      : paramsProblem(message.method, message.params ?? {}, hasModernVersion(message));
  if (wrongParams === undefined) return withShortClientInfo(message);
  return invalidParams(message.id, wrongParams);
}

/** Returns the error for a message with a too large `_meta`; undefined for any other message, valid or not. */
export function largeMetaRefusal(value: unknown): object | undefined {
  const isLarge = isObject(value) && (hasLargeMeta(value.params) || hasLargeMeta(value.result));
  return isLarge ? errorReplyOf(invalidMessage(value, largeMeta)) : undefined;
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
