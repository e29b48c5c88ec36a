import type { Principal } from '../../mcp/principal.ts';
import type { Service } from '../../mcp/service.ts';
import type { Era, McpRequest } from '../http-request.ts';
import { answerEmpty, answerJson, onClosed } from '../http-response.ts';
import type { Message } from '../message.ts';
import { createHttpWire, type HttpWire } from './http-transport.ts';
import { createOpeningStream, sessionHeader } from './initialize-stream.ts';
import { createLegacyServer } from './server.ts';
import { createSessions, type Session, type SessionLimits, type Sessions } from './sessions.ts';
import { createReplyStream } from './sse-stream.ts';
import {
  acceptProblem,
  batchProblem,
  expectsAnswer,
  isInitialize,
  type Problem,
  readMessages,
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
const beatEvery = 15_000;

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
  const alone = new Set<HttpWire>();
  const allowed = stateless ? ['POST'] : ['GET', 'POST', 'DELETE'];
  const tending = setInterval(() => {
    sessions.tend();
    for (const wire of alone) wire.beat();
  }, beatEvery).unref();

  /** One POST by itself: a server lives as long as its answer takes, and ends with the client. */
  async function serveAlone(messages: Message[], incoming: McpRequest): Promise<void> {
    const { request, response, principal, body, hold } = incoming;
    const problem = batchProblem(body, versionOf(request));
    if (problem !== undefined) return refuse(response, problem);
    if (!messages.some(expectsAnswer)) return answerEmpty(response, 202);
    const wire = createHttpWire();
    const server = createLegacyServer(statelessServiceFor(principal), wire.onCall);
    server.onerror = onerror;
    await server.connect(wire.transport);
    alone.add(wire);
    wire.take(messages, createReplyStream(response), hold);
    onClosed(response, () => {
      alone.delete(wire);
      void server.close();
    });
  }

  async function begin(messages: Message[], { response, principal, body, hold }: McpRequest): Promise<void> {
    if (Array.isArray(body)) return refuse(response, { status: 400, problem: 'initialize stands alone' });
    const session = await sessions.open(principal);
    if (session === undefined) return refuse(response, { status: 503, problem: 'There are too many sessions' });
    const stream = createOpeningStream(response, session);
    session.wire.take(messages, stream, hold);
  }

  async function goOn(messages: Message[], incoming: McpRequest): Promise<void> {
    const { response } = incoming;
    const session = sessionOf(incoming, sessions);
    if ('problem' in session) return refuse(response, session);
    const problem = batchProblem(incoming.body, session.version);
    if (problem !== undefined) return refuse(response, problem);
    if (session.wire.isAsking(messages)) {
      return refuse(response, { status: 400, problem: 'A request of this id is under way already' });
    }
    const isAsked = messages.some(expectsAnswer);
    session.wire.take(messages, isAsked ? createReplyStream(response) : undefined, incoming.hold);
    if (!isAsked) answerEmpty(response, 202);
  }

  async function post(incoming: McpRequest): Promise<void> {
    const { request, response, body } = incoming;
    const problem = acceptProblem(request, ['application/json', events]);
    if (problem !== undefined) return refuse(response, problem);
    const messages = readMessages(body);
    if (!Array.isArray(messages)) return answerJson(response, 400, messages);
    const isFirst = messages.some(isInitialize);
    const wrongVersion = isFirst ? undefined : versionProblem(request);
    if (wrongVersion !== undefined) return refuse(response, wrongVersion);
    if (stateless) return await serveAlone(messages, incoming);
    return await (isFirst ? begin : goOn)(messages, incoming);
  }

  async function listen(session: Session, { request, response }: McpRequest): Promise<void> {
    const problem = acceptProblem(request, [events]);
    if (problem !== undefined) return refuse(response, problem);
    const stream = createReplyStream(response);
    if (!session.wire.listen(stream)) {
      return refuse(response, { status: 409, problem: 'This session has its stream already' });
    }
    // Begun at once: the client waits for the headers.
    stream.beat();
  }

  return {
    sessions: sessions.count,
    serve: async (incoming) => {
      const { request, response } = incoming;
      const { method = '' } = request;
      if (!allowed.includes(method)) {
        return refuse(
          response,
          { status: 405, problem: 'This method is not served here' },
          { allow: allowed.join(', ') },
        );
      }
      if (method === 'POST') return await post(incoming);
      const session = sessionOf(incoming, sessions);
      if ('problem' in session) return refuse(response, session);
      if (method === 'GET') return await listen(session, incoming);
      await sessions.end(session);
      answerEmpty(response, 200);
    },
    close: async () => {
      clearInterval(tending);
      await sessions.close();
    },
  };
}
