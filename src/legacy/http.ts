import type { IncomingMessage, ServerResponse } from 'node:http';
import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/sdk/types.js';
import type { Principal } from '../mcp/principal.ts';
import type { Service } from '../mcp/service.ts';
import { answerEmpty, answerError, answerJson, rpcCodes } from '../transport/http/answer.ts';
import type { Era, McpRequest } from '../transport/http/endpoint.ts';
import { asMessage, type Message } from '../transport/message.ts';
import { createHttpWire } from './http-wire.ts';
import { createReplyStream } from './reply-stream.ts';
import { createLegacyServer } from './server.ts';
import { createSessions, type Session, type SessionLimits, type Sessions } from './sessions.ts';

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

const sessionHeader = 'mcp-session-id';
/** Between two signs of life on an open stream, in milliseconds. */
const beatEvery = 15_000;

/** A refusal of a whole request. */
interface Problem {
  readonly status: number;
  readonly problem: string;
  readonly code?: number;
}

const notAllowed: Problem = { status: 405, problem: 'This method is not served here' };

function refuse(response: ServerResponse, { status, problem, code = rpcCodes.server }: Problem, allow?: string): void {
  answerError(response, status, problem, allow === undefined ? {} : { allow }, code);
}

function versionProblem({ headers }: IncomingMessage): Problem | undefined {
  const version = headers['mcp-protocol-version'];
  if (version === undefined || SUPPORTED_PROTOCOL_VERSIONS.includes(String(version))) return undefined;
  const supported = SUPPORTED_PROTOCOL_VERSIONS.join(', ');
  return { status: 400, problem: `Unsupported protocol version (supported versions: ${supported})` };
}

/** Specification 2025-11-25, "Transports": a client names the types that it can read. */
function acceptProblem({ headers }: IncomingMessage, types: readonly string[]): Problem | undefined {
  const accepted = (headers.accept ?? '').split(',').map((range) => range.split(';', 1)[0]?.trim().toLowerCase());
  const readsAll = accepted.includes('*/*') || types.every((type) => accepted.includes(type));
  return readsAll ? undefined : { status: 406, problem: `Accept must list ${types.join(' and ')}` };
}

/** The messages of a body, or the first that is none. */
function readMessages(body: unknown): Message[] | object {
  const messages: Message[] = [];
  for (const value of Array.isArray(body) ? body : [body]) {
    const read = asMessage(value);
    if ('problem' in read) {
      const error = { code: rpcCodes.invalidRequest, message: `Invalid request: ${read.problem}` };
      return read.reply ?? { jsonrpc: '2.0', error };
    }
    messages.push(read);
  }
  return messages;
}

const expectsAnswer = ({ id, method }: Message) => id !== undefined && method !== undefined;
const isInitialize = ({ method }: Message) => method === 'initialize';

/** One POST by itself: a server lives as long as its answer takes, and ends with the client. */
async function serveAlone(
  service: Service,
  messages: Message[],
  { response }: McpRequest,
  onerror: (error: Error) => void,
) {
  if (!messages.some(expectsAnswer)) return answerEmpty(response, 202);
  const wire = createHttpWire();
  const server = createLegacyServer(service);
  server.onerror = onerror;
  await server.connect(wire.transport);
  response.once('close', () => void server.close());
  wire.take(messages, createReplyStream(response));
}

/** The session that a request belongs to, or why there is none. */
function sessionOf({ request, principal }: McpRequest, sessions: Sessions): Session | Problem {
  const id = request.headers[sessionHeader];
  if (typeof id !== 'string') return { status: 400, problem: 'Mcp-Session-Id is missing: initialize first' };
  return sessions.find(id, principal) ?? { status: 404, problem: 'There is no such session: initialize anew' };
}

/** Serves clients of 2025-11-25 and earlier: sessions, or each request by itself. */
export function createLegacyHttp(options: LegacyHttpOptions): LegacyHttp {
  const { stateless, statelessServiceFor, onerror } = options;
  const sessions = createSessions(options);
  const tending = setInterval(sessions.tend, beatEvery).unref();

  async function begin(messages: Message[], incoming: McpRequest): Promise<void> {
    const { response, principal } = incoming;
    if (messages.length > 1) return refuse(response, { status: 400, problem: 'initialize stands alone' });
    const session = await sessions.open(principal);
    if (session === undefined) return refuse(response, { status: 503, problem: 'There are too many sessions' });
    session.wire.take(messages, createReplyStream(response, { [sessionHeader]: session.id }));
  }

  async function goOn(messages: Message[], incoming: McpRequest): Promise<void> {
    const { response } = incoming;
    const session = sessionOf(incoming, sessions);
    if ('problem' in session) return refuse(response, session);
    if (session.wire.isAsking(messages)) {
      return refuse(response, { status: 400, problem: 'A request of this id is under way already' });
    }
    const isAsked = messages.some(expectsAnswer);
    session.wire.take(messages, isAsked ? createReplyStream(response) : undefined);
    if (!isAsked) answerEmpty(response, 202);
  }

  async function post(incoming: McpRequest): Promise<void> {
    const { request, response, principal, body } = incoming;
    const problem = acceptProblem(request, ['application/json', 'text/event-stream']);
    if (problem !== undefined) return refuse(response, problem);
    const messages = readMessages(body);
    if (!Array.isArray(messages)) return answerJson(response, 400, messages);
    if (stateless) return await serveAlone(statelessServiceFor(principal), messages, incoming, onerror);
    return await (messages.some(isInitialize) ? begin : goOn)(messages, incoming);
  }

  async function serve(incoming: McpRequest): Promise<void> {
    const { request, response } = incoming;
    const allowed = stateless ? ['POST'] : ['GET', 'POST', 'DELETE'];
    if (!allowed.includes(request.method ?? '')) return refuse(response, notAllowed, allowed.join(', '));
    const isNew = request.method === 'POST' && !Array.isArray(incoming.body) && isInitialize(incoming.body as Message);
    // The version of a first request stands in it; the header comes with later ones.
    const problem = isNew ? undefined : versionProblem(request);
    if (problem !== undefined) return refuse(response, problem);
    if (request.method === 'POST') return await post(incoming);
    const session = sessionOf(incoming, sessions);
    if ('problem' in session) return refuse(response, session);
    if (request.method === 'DELETE') {
      await sessions.end(session);
      return answerEmpty(response, 200);
    }
    const unreadable = acceptProblem(request, ['text/event-stream']);
    if (unreadable !== undefined) return refuse(response, unreadable);
    const stream = createReplyStream(response);
    if (!session.wire.listen(stream))
      return refuse(response, { status: 409, problem: 'This session has its stream already' });
    // Begun at once: the client waits for the headers.
    stream.beat();
  }

  return {
    serve,
    sessions: sessions.count,
    close: async () => {
      clearInterval(tending);
      await sessions.close();
    },
  };
}
