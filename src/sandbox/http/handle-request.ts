import type { IncomingMessage, ServerResponse } from 'node:http';
import { operations } from '../../contract/index.ts';
import type { Account, Accounts } from '../accounts.ts';
import { Problem } from '../handler.ts';
import { callHandler } from '../handlers/index.ts';
import { parseInput } from '../parse-input.ts';
import { type Fault, type KeyRole, keyOf, readBody } from './request-body.ts';

const isParameter = (segment: string) => segment.startsWith(':');

/** Routes with fewer parameters come first, so `/courses/roles` is not the course "roles". */
const routes = operations
  .map((operation) => ({ method: operation.method, operation, pattern: operation.path.split('/').slice(1) }))
  .toSorted((a, b) => a.pattern.filter(isParameter).length - b.pattern.filter(isParameter).length);

/**
 * Finds the operation for a method and the encoded segments of a path. PUT means the same as PATCH. Undefined if there is
 * none, or if a segment has invalid percent-encoding.
 */
function findRoute(method: string, encodedSegments: readonly string[]) {
  const segments = decodeAll(encodedSegments);
  const wanted = method === 'PUT' ? 'PATCH' : method;
  if (segments === undefined) return undefined;
  const route = routes.find(({ method, pattern }) => method === wanted && matches(pattern, segments));
  return route && { operation: route.operation, params: parametersOf(route.pattern, segments) };
}

function decodeAll(segments: readonly string[]): string[] | undefined {
  try {
    return segments.map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

function matches(pattern: readonly string[], segments: readonly string[]): boolean {
  return (
    pattern.length === segments.length &&
    pattern.every((part, index) => (isParameter(part) ? segments[index] !== '' : part === segments[index]))
  );
}

function parametersOf(pattern: readonly string[], segments: readonly string[]): Record<string, string> {
  const pairs = pattern.map((part, index) => [part, segments[index] ?? ''] as const);
  return Object.fromEntries(pairs.filter(([part]) => isParameter(part)).map(([part, value]) => [part.slice(1), value]));
}

/** The response to a request, or `cut`: the connection closes without one. */
type Outcome = Reply | 'cut';

export interface RequestSettings {
  accounts: Accounts;
  log: (line: string) => void;
}

const none: Fault = { kind: 'none' };

/** Handles one request. Never throws. */
export async function handleRequest(
  request: IncomingMessage,
  requestId: string,
  { accounts, log }: RequestSettings,
): Promise<Outcome> {
  const { segments, query } = parseRequestTarget(request.url ?? '/');
  const { account, segments: path } = accounts.find(segments);
  const role = account.roles.get(keyOf(request.headers.authorization) ?? '');
  if (role === undefined) return unauthorized(requestId);
  const waitSeconds = account.secondsToWait(performance.now());
  if (waitSeconds > 0) return versioned(rateLimited(requestId, waitSeconds));

  const fault = role === 'admin' ? account.nextFault() : none;
  const reply = await attempt(role, fault, () => perform(request, path, query, account)).catch((error: unknown) =>
    problemReply(toProblem(error, requestId, log), requestId),
  );
  return fault.kind === 'cut' ? 'cut' : versioned(reply);
}

async function attempt(role: KeyRole, fault: Fault, work: () => Promise<Reply>): Promise<Reply> {
  if (role !== 'admin') throw new Problem(403, 'forbidden', 'This key belongs to a user who is not an admin');
  if (fault.kind === 'refused') throw injected(fault.status);
  return work();
}

/** API document: "Authentication", rule 5. */
function versioned(reply: Reply): Reply {
  return { ...reply, headers: { 'X-API-Version': 'v1', ...reply.headers } };
}

async function perform(
  request: IncomingMessage,
  path: readonly string[],
  query: Record<string, string>,
  account: Account,
): Promise<Reply> {
  const match = findRoute(request.method ?? '', path);
  if (match === undefined) throw new Problem(404, 'not_found', 'endpoint not available');
  const { operation, params } = match;
  const input = parseInput(operation, { params, query, body: await readBody(request) });
  const work = () => callHandler(operation, input, account.academy);
  const body = operation.effect === 'read' ? work() : await account.write(operation.id, input, work);
  // Rails answers 201 if a record with its own address was created. Access endpoints are actions.
  return { status: operation.effect === 'create' && operation.response.kind === 'record' ? 201 : 200, body };
}

function unauthorized(requestId: string): Reply {
  const problem = new Problem(401, 'unauthorized', 'The API key is missing or does not belong to this account');
  return problemReply(problem, requestId, { 'WWW-Authenticate': 'Token realm="Application"' });
}

function rateLimited(requestId: string, seconds: number): Reply {
  const problem = new Problem(429, 'rate_limited', `Account rate limit exceeded; try again in ${seconds} s`);
  return problemReply(problem, requestId, { 'Retry-After': String(seconds) });
}

function injected(status: 500 | 503): Problem {
  return new Problem(status, status === 500 ? 'internal' : 'unavailable', 'Failure injected by the sandbox');
}

/** Logs an unexpected error and hides it from the client. */
function toProblem(error: unknown, requestId: string, log: (line: string) => void): Problem {
  if (error instanceof Problem) return error;
  log(`request ${requestId} failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  return new Problem(500, 'internal', 'Internal server error');
}

/**
 * Splits a request target. `new URL` would resolve `..` and reject some targets. As in Rails, a trailing slash has no
 * meaning and the last of several query parameters of one name counts.
 */
function parseRequestTarget(target: string) {
  const [path = '', ...rest] = target.split('?');
  const segments = path.replace(/\/$/, '').split('/').slice(1);
  return { segments, query: Object.fromEntries(new URLSearchParams(rest.join('?'))) };
}

interface Reply {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
}

/** API document: "Errors". It mentions a list of supported fields, but not its key: `supported_fields` is a guess. */
function problemReply(problem: Problem, requestId: string, headers: Record<string, string> = {}): Reply {
  const { status, code, message, supportedFields } = problem;
  const body = {
    error: message,
    errors: [{ code, message }],
    request_id: requestId,
    ...(supportedFields && { supported_fields: supportedFields }),
  };
  return { status, body, headers };
}

export function send(response: ServerResponse, { status, body, headers }: Reply): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
    ...headers,
  });
  response.end(text);
}
