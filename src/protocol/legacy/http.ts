import type { IncomingMessage, ServerResponse } from 'node:http';
import { InitializeRequestSchema, SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/sdk/types.js';
import type { Principal } from '../../mcp/principal.ts';
import type { Service } from '../../mcp/service.ts';
import { rpcCodes } from '../../shared/errors.ts';
import type { SharedStore } from '../../shared/shared-store.ts';
import type { Era, McpRequest } from '../http-response.ts';
import { onClosed, sendEmpty, sendError, sendJson } from '../http-response.ts';
import { errorReplyOf, invalidParams, type Message, validateMessage } from '../message.ts';
import {
  createHttpTransport,
  createInitializeStream,
  createSseStream,
  type HttpTransport,
  sessionHeader,
} from './http-transport.ts';
import { createLegacyServer } from './server.ts';
import { createSessions, type Session, type SessionLimits, type Sessions } from './sessions.ts';

interface Problem {
  readonly status: number;
  readonly problem: string;
  /** JSON-RPC error code; default `rpcCodes.server`. */
  readonly code?: number;
}

function refuse(
  response: ServerResponse,
  { status, problem, code }: Problem,
  headers: Record<string, string> = {},
): void {
  sendError(response, status, problem, headers, code);
}

function versionOf({ headers }: IncomingMessage): string | undefined {
  const version = headers['mcp-protocol-version'];
  return version === undefined ? undefined : String(version);
}

/** Checks the header that every request after initialize carries. initialize has its version in its params. */
function versionProblem(request: IncomingMessage): Problem | undefined {
  const version = versionOf(request);
  if (version === undefined || SUPPORTED_PROTOCOL_VERSIONS.includes(version)) return undefined;
  const supported = SUPPORTED_PROTOCOL_VERSIONS.join(', ');
  return { status: 400, problem: `Unsupported protocol version (supported versions: ${supported})` };
}

/** Checks that the client accepts these types. Specification 2025-11-25, "Transports". */
function acceptProblem({ headers }: IncomingMessage, types: readonly string[]): Problem | undefined {
  const accepted = (headers.accept ?? '').split(',').map((range) => range.split(';', 1)[0]?.trim().toLowerCase());
  const readsAll = accepted.includes('*/*') || types.every((type) => accepted.includes(type));
  return readsAll ? undefined : { status: 406, problem: `Accept must list ${types.join(' and ')}` };
}

/** Returns the messages of a body, or the error reply to the first invalid one. */
function parseMessages(body: unknown): Message[] | object {
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
function batchProblem(body: unknown, version: string = batchVersion): Problem | undefined {
  if (!Array.isArray(body)) return undefined;
  const invalid = (problem: string) => ({ status: 400, problem, code: rpcCodes.invalidRequest });
  if (version !== batchVersion) return invalid(`Batches are allowed only in version ${batchVersion}`);
  const ids = (body as Message[]).filter(expectsAnswer).map(({ id }) => id);
  return new Set(ids).size === ids.length ? undefined : invalid('Two requests in the batch have the same id');
}

const expectsAnswer = ({ id, method }: Message): boolean => id !== undefined && method !== undefined;
/** An initialize without an id is no request: it gets no answer, so it cannot open a session. */
const isInitialize = (message: Message): boolean => expectsAnswer(message) && message.method === 'initialize';

interface LegacyHttpOptions {
  /** Returns the service of a caller, in the conversation of a session. */
  serviceFor(principal: Principal, session: string): Service;
  /** Returns the service of a caller, in the conversation that the server keeps for them for half an hour. */
  statelessServiceFor(principal: Principal): Service;
  /** Keep no sessions, so that any replica can answer any request. */
  stateless: boolean;
  /** Lets any replica continue a session; default: only this process can. */
  store?: SharedStore | undefined;
  onerror(error: Error): void;
  limits?: Partial<SessionLimits>;
}

export interface LegacyHttp extends Era {
  sessions(): number;
}

/** Milliseconds between two keep-alive comments on an open stream. */
const keepAliveIntervalMs = 15_000;

/** Characters. The server's own session ids have 36. */
const maxSessionIdLength = 100;

const eventStreamType = 'text/event-stream';

/** Finds the session that a request belongs to, or why there is none. */
async function sessionOf({ request, principal }: McpRequest, sessions: Sessions): Promise<Session | Problem> {
  const id = request.headers[sessionHeader];
  if (typeof id !== 'string' || id.length > maxSessionIdLength)
    return { status: 400, problem: 'Mcp-Session-Id is missing. Send initialize first.' };
  return (
    sessions.find(id, principal) ??
    (await sessions.revive(id, principal)) ?? { status: 404, problem: 'Session not found. Send initialize again.' }
  );
}

/** Serves clients of 2025-11-25 and earlier, in sessions or, if `stateless`, each POST on its own. */
export function createLegacyHttp(options: LegacyHttpOptions): LegacyHttp {
  const { stateless, statelessServiceFor, onerror } = options;
  const sessions = createSessions(options);
  const statelessTransports = new Set<HttpTransport>();
  const allowed = stateless ? ['POST'] : ['GET', 'POST', 'DELETE'];
  const timer = setInterval(() => {
    sessions.sweep();
    for (const transport of statelessTransports) transport.keepAlive();
  }, keepAliveIntervalMs).unref();

  /** Serves one POST with a server of its own, which closes when the response does. */
  async function serveStateless(messages: Message[], accepted: McpRequest): Promise<void> {
    const { request, response, principal, body, trackCall } = accepted;
    const problem = batchProblem(body, versionOf(request));
    if (problem !== undefined) return refuse(response, problem);
    if (!messages.some(expectsAnswer)) return sendEmpty(response, 202);
    const transport = createHttpTransport();
    const server = createLegacyServer(statelessServiceFor(principal), transport.onCall, 'none');
    server.onerror = onerror;
    await server.connect(transport.sdkTransport);
    statelessTransports.add(transport);
    transport.receive(messages, createSseStream(response), trackCall);
    onClosed(response, () => {
      statelessTransports.delete(transport);
      void server.close();
    });
  }

  async function startSession(
    messages: Message[],
    { response, principal, body, trackCall }: McpRequest,
  ): Promise<void> {
    if (Array.isArray(body))
      return refuse(response, { status: 400, problem: 'initialize must not be part of a batch' });
    const session = await sessions.open(principal);
    if (session === undefined)
      return refuse(response, { status: 503, problem: 'Too many sessions are open. Try again later.' });
    const stream = createInitializeStream(createSseStream(response, { [sessionHeader]: session.id }), session);
    const [first] = messages;
    if (first !== undefined) await sessions.share(session, first);
    session.transport.receive(messages, stream, trackCall);
  }

  async function continueSession(messages: Message[], accepted: McpRequest): Promise<void> {
    const { response } = accepted;
    const session = await sessionOf(accepted, sessions);
    if ('problem' in session) return refuse(response, session);
    const problem = batchProblem(accepted.body, session.version);
    if (problem !== undefined) return refuse(response, problem);
    if (session.transport.hasPending(messages)) {
      return refuse(response, { status: 400, problem: 'A request with this id is still pending' });
    }
    const needsAnswer = messages.some(expectsAnswer);
    session.transport.receive(messages, needsAnswer ? createSseStream(response) : undefined, accepted.trackCall);
    if (!needsAnswer) sendEmpty(response, 202);
  }

  async function post(accepted: McpRequest): Promise<void> {
    const { request, response, body } = accepted;
    const problem = acceptProblem(request, ['application/json', eventStreamType]);
    if (problem !== undefined) return refuse(response, problem);
    const messages = parseMessages(body);
    if (!Array.isArray(messages)) return sendJson(response, 400, messages);
    const isFirst = messages.some(isInitialize);
    const wrongVersion = isFirst ? undefined : versionProblem(request);
    if (wrongVersion !== undefined) return refuse(response, wrongVersion);
    if (stateless) return await serveStateless(messages, accepted);
    return await (isFirst ? startSession : continueSession)(messages, accepted);
  }

  async function openEventStream(session: Session, { request, response }: McpRequest): Promise<void> {
    const problem = acceptProblem(request, [eventStreamType]);
    if (problem !== undefined) return refuse(response, problem);
    const stream = createSseStream(response);
    if (!session.transport.openEventStream(stream)) {
      return refuse(response, { status: 409, problem: 'This session already has an open stream' });
    }
    // Sends the headers now: the client waits for them.
    stream.keepAlive();
  }

  return {
    sessions: sessions.count,
    serve: async (accepted) => {
      const { request, response } = accepted;
      const { method = '' } = request;
      if (!allowed.includes(method)) {
        return refuse(response, { status: 405, problem: 'Method not allowed' }, { allow: allowed.join(', ') });
      }
      if (method === 'POST') return await post(accepted);
      const session = await sessionOf(accepted, sessions);
      if ('problem' in session) return refuse(response, session);
      if (method === 'GET') return await openEventStream(session, accepted);
      await sessions.end(session);
      sendEmpty(response, 200);
    },
    close: async () => {
      clearInterval(timer);
      await sessions.close();
    },
  };
}
