import { isTooDeep, maxDepth } from '../mcp/input/bounds.ts';
import { rpcCodes } from '../shared/errors.ts';
import { isObject } from '../shared/json.ts';
import { maxClientNameLength, maxWaitingBytes } from './input-limits.ts';
import { hasLargeMeta, hasTooManyValues, largeMeta, tooManyValues } from './message-size.ts';
import { claimsModern } from './protocol-version.ts';
import { paramsProblem } from './validate-params.ts';

export type Id = string | number;

/** A message of JSON-RPC 2.0 as MCP has it, in either era: no batches, ids are text or whole numbers. */
export type Message = { jsonrpc: '2.0'; id?: Id; method?: string; params?: Record<string, unknown> };

/** What stands in place of a message. */
export interface Unreadable {
  /** In our own words: the line itself may be about a student. */
  readonly problem: string;
  /** The error to answer with; undefined for what is never answered: notifications, and answers themselves. */
  readonly reply: object | undefined;
}

function reply(id: Id | undefined, code: number, message: string): object {
  return { jsonrpc: '2.0', ...(id === undefined ? {} : { id }), error: { code, message } };
}

/** A line that is no JSON at all. An id that cannot be told is left out: JSON-RPC would say null, which MCP's schema does not allow. */
export function unreadable(problem: string): Unreadable {
  return { problem, reply: reply(undefined, rpcCodes.parse, `Parse error: ${problem}`) };
}

/** Characters. An id comes back with its answer, and a progress token with each word of progress. */
const maxId = 256;
const maxMethod = 100;

/** Whether a value is a JSON-RPC id, as MCP has them: never null. */
export function isId(value: unknown): value is Id {
  return typeof value === 'string' ? value.length <= maxId : Number.isSafeInteger(value);
}

/** Arguments of a tool are left to its schema, whose refusal is the result of a call. */
function isDeepMessage({ params, ...fields }: Record<string, unknown>): boolean {
  const { arguments: _given, ...others } = isObject(params) ? params : { params };
  return isTooDeep(fields) || isTooDeep(others);
}

export function isRequest(message: Message): message is Message & { id: Id; method: string } {
  return message.method !== undefined && message.id !== undefined;
}

export function isAnswer(message: object): message is { id: Id } {
  return !('method' in message) && 'id' in message && isId(message.id);
}

/** The id of the request that a message cancels. */
export function cancelledBy({ method, params }: Message): Id | undefined {
  const id = method === 'notifications/cancelled' && isObject(params) ? params.requestId : undefined;
  return isId(id) ? id : undefined;
}

/** Both SDKs pass over a message with a field too many in silence, so that its sender would wait for ever. */
function hasFieldsOfMessage({ jsonrpc, id, ...rest }: Record<string, unknown>): boolean {
  const { method, result, error } = rest;
  const has = (...names: string[]) => Object.keys(rest).every((name) => names.includes(name));
  if (method !== undefined) return has('method', 'params');
  if (result !== undefined) return has('result') && id !== undefined && isObject(result);
  return has('error') && isObject(error) && Number.isInteger(error.code) && typeof error.message === 'string';
}

const relatedTask = 'io.modelcontextprotocol/related-task';

/** The fields of `_meta` that are read before a message reaches its handler. */
function hasBadMeta(holder: unknown): boolean {
  if (!isObject(holder) || holder._meta === undefined) return false;
  if (!isObject(holder._meta)) return true;
  const { progressToken, [relatedTask]: task } = holder._meta;
  const isBadTask = task !== undefined && !(isObject(task) && typeof task.taskId === 'string');
  return isBadTask || (progressToken !== undefined && !isId(progressToken));
}

function problemOf(value: unknown): string | undefined {
  if (Array.isArray(value)) return 'it is a batch, which MCP does not have';
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
  if (hasBadMeta(value.params) || hasBadMeta(value.result)) return 'its _meta is not that of a message';
  return hasFieldsOfMessage(value) ? undefined : 'its fields are not those of a message';
}

function isNeverAnswered(value: unknown): boolean {
  if (!isObject(value)) return false;
  if ('method' in value) return typeof value.method === 'string' && !('id' in value);
  return 'result' in value || 'error' in value;
}

function notMessage(value: unknown, problem: string): Unreadable {
  if (isNeverAnswered(value)) return { problem, reply: undefined };
  const id = isObject(value) && isId(value.id) ? value.id : undefined;
  return { problem, reply: reply(id, rpcCodes.invalidRequest, `Invalid request: ${problem}`) };
}

export function invalidParams(id: Id | undefined, problem: string): Unreadable {
  return { problem, reply: reply(id, rpcCodes.invalidParams, `Invalid params: ${problem}`) };
}

/** The refusal of a request beside which too many bytes wait already. */
export function tooMuchWaits(id: Id): Unreadable {
  const problem = `requests may hold ${maxWaitingBytes / 2 ** 20} MiB together until they are answered`;
  return {
    problem,
    reply: reply(id, rpcCodes.server, `Too many requests: ${problem}; try again when others have ended`),
  };
}

/** What to answer over HTTP, where even what is never answered gets an answer. */
export function refusalOf({ problem, reply: given }: Unreadable): object {
  return given ?? reply(undefined, rpcCodes.invalidRequest, `Invalid request: ${problem}`);
}

/** A session keeps what an initialize says: of the client its name and version, without icons and the like. */
function lean(message: Message): Message {
  const { method, params = {} } = message;
  const { clientInfo } = params;
  if (method !== 'initialize' || !isObject(clientInfo)) return message;
  const [name, version] = [clientInfo.name, clientInfo.version].map((text) =>
    String(text).slice(0, maxClientNameLength),
  );
  return { ...message, params: { ...params, clientInfo: { name, version } } };
}

/** Reads a value that was JSON. */
export function asMessage(value: unknown): Message | Unreadable {
  const problem = problemOf(value);
  if (problem !== undefined) return notMessage(value, problem);
  const message = value as Message;
  const missing =
    message.id === undefined ? undefined : paramsProblem(message.method, message.params ?? {}, claimsModern(message));
  if (missing === undefined) return lean(message);
  return invalidParams(message.id, missing);
}

/** The refusal of any message whose `_meta` is too large, whatever else is right or wrong with it. */
export function largeMetaRefusal(value: unknown): object | undefined {
  const isLarge = isObject(value) && (hasLargeMeta(value.params) || hasLargeMeta(value.result));
  return isLarge ? refusalOf(notMessage(value, largeMeta)) : undefined;
}

/** Reads one line of the stdio transport. */
export function readMessage(line: string): Message | Unreadable {
  if (hasTooManyValues(line)) return unreadable(tooManyValues);
  try {
    return asMessage(JSON.parse(line));
  } catch {
    return unreadable('it is not readable JSON');
  }
}
