import type { Principal } from '../../mcp/principal.ts';
import type { Service } from '../../mcp/service.ts';
import type { Era, McpRequest } from '../http-request.ts';
import { onClosed, sendEmpty, sendJson } from '../http-response.ts';
import type { Message } from '../message.ts';
import { createHttpTransport, type HttpTransport } from './http-transport.ts';
import { createInitializeStream, sessionHeader } from './initialize-stream.ts';
import { createLegacyServer } from './server.ts';
import { createSessions, type Session, type SessionLimits, type Sessions } from './sessions.ts';
import { createSseStream } from './sse-stream.ts';
import {
  acceptProblem,
  batchProblem,
  expectsAnswer,
  isInitialize,
  type Problem,
  parseMessages,
  refuse,
  versionOf,
  versionProblem,
} from './validate-request.ts';

export interface LegacyHttpOptions {
  /** The service of a caller in a new conversation. */
  serviceFor(principal: Principal): Service;
  /** The service of a caller in the conversation that is theirs for half an hour. */
  statelessServiceFor(principal: Principal): Service;
  /** No sessions: any replica answers any request. */
  stateless: boolean;
  onerror(error: Error): void;
  limits?: Partial<SessionLimits>;
}

export interface LegacyHttp extends Era {
  sessions(): number;
}

/** Between two signs of life on an open stream, in milliseconds. */
const keepAliveIntervalMs = 15_000;

/** Characters of a session's id. Ours have 36. */
const maxId = 100;

const events = 'text/event-stream';

/** The session that a request belongs to, or why there is none. */
function sessionOf({ request, principal }: McpRequest, sessions: Sessions): Session | Problem {
  const id = request.headers[sessionHeader];
  if (typeof id !== 'string' || id.length > maxId)
    return { status: 400, problem: 'Mcp-Session-Id is missing: initialize first' };
  return sessions.find(id, principal) ?? { status: 404, problem: 'There is no such session: initialize anew' };
}

/** Serves clients of 2025-11-25 and earlier: sessions, or each request by itself. */
export function createLegacyHttp(options: LegacyHttpOptions): LegacyHttp {
  const { stateless, statelessServiceFor, onerror } = options;
  const sessions = createSessions(options);
  const statelessTransports = new Set<HttpTransport>();
  const allowed = stateless ? ['POST'] : ['GET', 'POST', 'DELETE'];
  const tending = setInterval(() => {
    sessions.sweep();
    for (const transport of statelessTransports) transport.keepAlive();
  }, keepAliveIntervalMs).unref();

  /** One POST by itself: a server lives as long as its answer takes, and ends with the client. */
  async function serveStateless(messages: Message[], accepted: McpRequest): Promise<void> {
    const { request, response, principal, body, trackCall } = accepted;
    const problem = batchProblem(body, versionOf(request));
    if (problem !== undefined) return refuse(response, problem);
    if (!messages.some(expectsAnswer)) return sendEmpty(response, 202);
    const transport = createHttpTransport();
    const server = createLegacyServer(statelessServiceFor(principal), transport.onCall);
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
    if (Array.isArray(body)) return refuse(response, { status: 400, problem: 'initialize stands alone' });
    const session = await sessions.open(principal);
    if (session === undefined) return refuse(response, { status: 503, problem: 'There are too many sessions' });
    const stream = createInitializeStream(response, session);
    session.transport.receive(messages, stream, trackCall);
  }

  async function continueSession(messages: Message[], accepted: McpRequest): Promise<void> {
    const { response } = accepted;
    const session = sessionOf(accepted, sessions);
    if ('problem' in session) return refuse(response, session);
    const problem = batchProblem(accepted.body, session.version);
    if (problem !== undefined) return refuse(response, problem);
    if (session.transport.hasPending(messages)) {
      return refuse(response, { status: 400, problem: 'A request of this id is under way already' });
    }
    const isAsked = messages.some(expectsAnswer);
    session.transport.receive(messages, isAsked ? createSseStream(response) : undefined, accepted.trackCall);
    if (!isAsked) sendEmpty(response, 202);
  }

  async function post(accepted: McpRequest): Promise<void> {
    const { request, response, body } = accepted;
    const problem = acceptProblem(request, ['application/json', events]);
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
    const problem = acceptProblem(request, [events]);
    if (problem !== undefined) return refuse(response, problem);
    const stream = createSseStream(response);
    if (!session.transport.openEventStream(stream)) {
      return refuse(response, { status: 409, problem: 'This session has its stream already' });
    }
    // Begun at once: the client waits for the headers.
    stream.keepAlive();
  }

  return {
    sessions: sessions.count,
    serve: async (accepted) => {
      const { request, response } = accepted;
      const { method = '' } = request;
      if (!allowed.includes(method)) {
        return refuse(
          response,
          { status: 405, problem: 'This method is not served here' },
          { allow: allowed.join(', ') },
        );
      }
      if (method === 'POST') return await post(accepted);
      const session = sessionOf(accepted, sessions);
      if ('problem' in session) return refuse(response, session);
      if (method === 'GET') return await openEventStream(session, accepted);
      await sessions.end(session);
      sendEmpty(response, 200);
    },
    close: async () => {
      clearInterval(tending);
      await sessions.close();
    },
  };
}
