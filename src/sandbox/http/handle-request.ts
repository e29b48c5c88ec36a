import type { IncomingMessage, ServerResponse } from 'node:http';
import { operations } from '../../contract/index.ts';
import { isObject, type Json } from '../../shared/json.ts';
import type { Account } from '../accounts.ts';
import { Problem } from '../handler.ts';
import { callHandler } from '../handlers/index.ts';
import { parseInput } from '../parse-input.ts';

/** `Token token=KEY` (as in Rails, KEY may be quoted and other pairs may follow) or `Bearer KEY`. Undefined if there is none. */
function keyOf(authorization: string | undefined): string | undefined {
  const [, scheme = '', credentials = ''] = /^(token|bearer)\s+(.*)$/i.exec(authorization?.trim() ?? '') ?? [];
  if (scheme.toLowerCase() === 'bearer') return credentials || undefined;
  const [, quoted, plain] = /^token=(?:"([^"]+)"|([^",;\s]+))/.exec(credentials) ?? [];
  return quoted ?? plain;
}

const maxBody = 1024 * 1024;

/**
 * Reads a JSON or form body. An empty body has no fields. Throws a Problem: 413 over 1 MiB, 400 for a body that is not a
 * JSON object or a valid form.
 */
async function readBody(request: IncomingMessage) {
  const type = request.headers['content-type'] ?? '';
  // A form has only text, so a blank may mean null.
  const isForm = /^(application\/x-www-form-urlencoded|multipart\/form-data)\b/i.test(type);
  const bytes = await readBytes(request);
  if (bytes.length === 0) return { fields: {}, isForm };
  return { fields: isForm ? await parseForm(bytes, type) : parseJson(bytes), isForm };
}

/** Reads a body that is too large to its end: a client reads the response only after it has sent its request. */
async function readBytes(request: IncomingMessage): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of request) {
      size += chunk.length;
      if (size <= maxBody) chunks.push(chunk);
    }
  } catch {
    throw badRequest('The request body is incomplete');
  }
  if (size > maxBody) throw new Problem(413, 'payload_too_large', 'The request body is larger than 1 MiB');
  return Buffer.concat(chunks);
}

function parseJson(bytes: Uint8Array): Json {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw badRequest('The request body is not valid JSON');
  }
  if (!isObject(value)) throw badRequest('The request body must be a JSON object');
  return value;
}

async function parseForm(bytes: Uint8Array<ArrayBuffer>, type: string): Promise<Json> {
  try {
    const form = await new Response(bytes, { headers: { 'content-type': type } }).formData();
    return nest(form);
  } catch {
    throw badRequest('The request body is not a valid form');
  }
}

/** In a form, `channel[name]=General` means `{"channel": {"name": "General"}}`. */
function nest(entries: Iterable<readonly [string, unknown]>): Json {
  const fields = new Map<string, unknown>();
  for (const [name, value] of entries) {
    const [, outer = name, inner] = /^([^[\]]+)\[([^[\]]+)\]$/.exec(name) ?? [];
    const known = fields.get(outer);
    fields.set(outer, inner === undefined ? value : { ...(isObject(known) ? known : {}), [inner]: value });
  }
  return Object.fromEntries(fields);
}

const badRequest = (message: string) => new Problem(400, 'bad_request', message);

/** Routes with fewer parameters come first, so `/courses/roles` is not the course "roles". */
const routes = operations
  .map((operation) => {
    const pattern = operation.path.replaceAll(/:(\w+)/g, '(?<$1>[^/]+)');
    return { operation, pattern: new RegExp(`^${pattern}$`) };
  })
  .toSorted((a, b) => a.operation.path.split(':').length - b.operation.path.split(':').length);

const noEndpoint = () => new Problem(404, 'not_found', 'endpoint not available');

/** Finds the operation for a method and an encoded path, and its path parameters. PUT means the same as PATCH. */
function findRoute(method: string | undefined, path: string) {
  const wanted = method === 'PUT' ? 'PATCH' : method;
  for (const { operation, pattern } of routes) {
    const found = operation.method === wanted ? pattern.exec(path) : null;
    if (found !== null) return { operation, params: decoded(found.groups ?? {}) };
  }
  throw noEndpoint();
}

function decoded(values: Record<string, string>): Record<string, string> {
  try {
    return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, decodeURIComponent(value)]));
  } catch {
    throw noEndpoint();
  }
}

export interface RequestSettings {
  /** Each is at `/<subdomain>`; the first is also at the root. */
  accounts: readonly [Account, ...Account[]];
  log: (line: string) => void;
}

/** The response to a request, or `cut`: the connection closes without one. */
type Outcome = Reply | 'cut';

/** Handles one request. Never throws. */
export function handleRequest(request: IncomingMessage, id: string, settings: RequestSettings): Promise<Outcome> {
  const { accounts, log } = settings;
  return answer(request, accounts).catch((error: unknown) => problemReply(toProblem(error, id, log), id));
}

async function answer(request: IncomingMessage, accounts: RequestSettings['accounts']): Promise<Outcome> {
  const { path, query } = parseRequestTarget(request.url ?? '/');
  const named = accounts.find(({ settings }) => `${path}/`.startsWith(`/${settings.subdomain}/`));
  const account = named ?? accounts[0];
  const isAdmin = requireKey(account, keyOf(request.headers.authorization) ?? '');
  const seconds = account.secondsToWait(performance.now());
  if (seconds > 0) throw rateLimited(seconds);
  if (!isAdmin) throw new Problem(403, 'forbidden', 'This key belongs to a user who is not an admin');
  const fault = account.nextFault();
  if (typeof fault === 'number') {
    throw new Problem(fault, fault === 500 ? 'internal' : 'unavailable', 'Failure injected by the sandbox');
  }
  const below = named === undefined ? path : path.slice(named.settings.subdomain.length + 1);
  const reply = perform(request, below, query, account);
  if (fault === undefined) return await reply;
  await reply.catch(() => undefined);
  return 'cut';
}

/** Whether the key of an account belongs to an admin. */
function requireKey({ settings: { apiKeys, studentKeys } }: Account, key: string): boolean {
  if (apiKeys.includes(key)) return true;
  if (studentKeys.includes(key)) return false;
  throw new Problem(401, 'unauthorized', 'The API key is missing or does not belong to this account', {
    headers: { 'WWW-Authenticate': 'Token realm="Application"' },
  });
}

function rateLimited(seconds: number): Problem {
  return new Problem(429, 'rate_limited', `Account rate limit exceeded; try again in ${seconds} s`, {
    headers: { 'Retry-After': String(seconds) },
  });
}

async function perform(
  request: IncomingMessage,
  path: string,
  query: Record<string, string>,
  account: Account,
): Promise<Reply> {
  const { operation, params } = findRoute(request.method, path);
  const input = parseInput(operation, { params, query, body: await readBody(request) });
  const work = () => callHandler(operation, input, account.academy);
  const body = operation.effect === 'read' ? work() : await account.write(operation.id, input, work);
  // Rails answers 201 if a record with its own address was created. Access endpoints are actions.
  return { status: operation.effect === 'create' && operation.response.kind === 'record' ? 201 : 200, body };
}

/** Logs an unexpected error and hides it from the client. */
function toProblem(error: unknown, requestId: string, log: (line: string) => void): Problem {
  if (error instanceof Problem) return error;
  log(`request ${requestId} failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  return new Problem(500, 'internal', 'Internal server error');
}

/** `new URL` would resolve `..`. As in Rails, a trailing slash means nothing, and the last query parameter of a name counts. */
function parseRequestTarget(target: string) {
  const [path = '', ...rest] = target.split('?');
  return { path: path.replace(/\/$/, ''), query: Object.fromEntries(new URLSearchParams(rest.join('?'))) };
}

interface Reply {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
}

/** API document: "Errors". */
function problemReply({ status, code, message, extras }: Problem, request_id: string): Reply {
  const { headers = {}, ...more } = extras;
  return { status, body: { error: message, errors: [{ code, message }], request_id, ...more }, headers };
}

export function send(response: ServerResponse, { status, body, headers }: Reply): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
    // API document: "Authentication", rule 5: not without a valid key.
    ...(status !== 401 && { 'X-API-Version': 'v1' }),
    ...headers,
  });
  response.end(text);
}
