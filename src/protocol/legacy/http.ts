import type { IncomingMessage } from 'node:http';
import { InitializeRequestSchema, SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/sdk/types.js';
import type { Principal } from '../../mcp/principal.ts';
import type { Service } from '../../mcp/service.ts';
import { rpcCodes } from '../../shared/errors.ts';
import { HttpRefusal, type McpRequest, onClosed, sendEmpty, sendJson } from '../http-response.ts';
import { errorReplyOf, invalidParams, isRequest, type Message, validateMessage } from '../message.ts';
import { createHttpTransport, createSseStream, sessionHeader } from './http-transport.ts';
import { createLegacyServer } from './server.ts';
import { createSessions, type Session, type Sessions, type SessionsOptions } from './sessions.ts';

const versionOf = ({ headers }: IncomingMessage) => headers['mcp-protocol-version']?.toString();

/** Checks the header that every request after initialize carries. initialize has its version in its params. */
function checkVersion(request: IncomingMessage): void {
  const version = versionOf(request);
  if (version === undefined || SUPPORTED_PROTOCOL_VERSIONS.includes(version)) return;
  throw new HttpRefusal(
    400,
    `Unsupported protocol version (supported versions: ${SUPPORTED_PROTOCOL_VERSIONS.join(', ')})`,
  );
}

/** Checks that the client accepts these types. Specification 2025-11-25, "Transports". */
function checkAccept({ headers }: IncomingMessage, types: readonly string[]): void {
  const accepted = (headers.accept ?? '').split(',').map((range) => range.split(';', 1)[0]?.trim().toLowerCase());
  const readsAll = accepted.includes('*/*') || types.every((type) => accepted.includes(type));
  if (!readsAll) throw new HttpRefusal(406, `Accept must list ${types.join(' and ')}`);
}

/** Returns the messages of a body, or the error reply to the first invalid one. */
function parseMessages(body: unknown): Message[] | object {
  const messages: Message[] = [];
  for (const value of Array.isArray(body) ? body : [body]) {
    const read = validateMessage(value);
    if ('problem' in read) return errorReplyOf(read);
    // The SDK would answer with -32603 and the whole output of its validator.
    if (isInitialize(read) && !InitializeRequestSchema.safeParse(read).success)
      return errorReplyOf(invalidParams(read.id, 'they do not match initialize'));
    messages.push(read);
  }
  return messages;
}

/** The only version with batches, and the default for a client that names no version (specification, "Transports"). */
const batchVersion = '2025-03-26';

function checkBatch(body: unknown, version: string = batchVersion): void {
  if (!Array.isArray(body)) return;
  const invalid = (problem: string) => new HttpRefusal(400, problem, {}, rpcCodes.invalidRequest);
  if (version !== batchVersion) throw invalid(`Batches are allowed only in version ${batchVersion}`);
  const ids = (body as Message[]).filter(isRequest).map(({ id }) => id);
  if (new Set(ids).size < ids.length) throw invalid('Two requests in the batch have the same id');
}

/** An initialize without an id is no request: it gets no answer, so it cannot open a session. */
const isInitialize = (message: Message): boolean => isRequest(message) && message.method === 'initialize';

interface LegacyHttpOptions extends SessionsOptions {
  /** Returns the service of a caller: in the conversation of a session or, without one, in that of the last half hour. */
  serviceFor(principal: Principal, session?: string): Service;
  /** Keep no sessions, so that any replica can answer any request. */
  stateless: boolean;
}

export type LegacyHttp = ReturnType<typeof createLegacyHttp>;

const sweepMs = 15_000;

/** Characters. The server's own session ids have 36. */
const maxSessionIdLength = 100;

const eventStreamType = 'text/event-stream';

async function sessionOf({ request, principal }: McpRequest, sessions: Sessions): Promise<Session> {
  const id = request.headers[sessionHeader];
  if (typeof id !== 'string' || id.length > maxSessionIdLength)
    throw new HttpRefusal(400, 'Mcp-Session-Id is missing. Send initialize first.');
  const session = sessions.find(id, principal) ?? (await sessions.revive(id, principal));
  if (session === undefined) throw new HttpRefusal(404, 'Session not found. Send initialize again.');
  return session;
}

/** Serves clients of 2025-11-25 and earlier, in sessions or, if `stateless`, each POST on its own. */
export function createLegacyHttp(options: LegacyHttpOptions) {
  const { stateless, serviceFor, onerror } = options;
  const sessions = createSessions(options);
  const allowed = stateless ? ['POST'] : ['GET', 'POST', 'DELETE'];
  const timer = setInterval(sessions.sweep, sweepMs).unref();

  /** Serves one POST with a server of its own, which closes when the response does. */
  async function serveStateless(messages: Message[], accepted: McpRequest): Promise<void> {
    const { request, response, principal, body, trackCall } = accepted;
    checkBatch(body, versionOf(request));
    if (!messages.some(isRequest)) return sendEmpty(response, 202);
    const transport = createHttpTransport();
    const server = createLegacyServer(serviceFor(principal), transport.onCall, false);
    server.onerror = onerror;
    await server.connect(transport.sdkTransport);
    transport.receive(messages, createSseStream(response), trackCall);
    onClosed(response, () => void server.close());
  }

  async function startSession(messages: Message[], { response, principal, body, trackCall }: McpRequest) {
    if (Array.isArray(body)) throw new HttpRefusal(400, 'initialize must not be part of a batch');
    const [initialize] = messages;
    const session = initialize && (await sessions.open(principal, initialize));
    if (session === undefined) throw new HttpRefusal(503, 'Too many sessions are open. Try again later.');
    session.transport.receive(messages, createSseStream(response, { [sessionHeader]: session.id }), trackCall);
  }

  async function continueSession(messages: Message[], accepted: McpRequest): Promise<void> {
    const { response } = accepted;
    const session = await sessionOf(accepted, sessions);
    checkBatch(accepted.body, session.transport.version());
    if (session.transport.hasPending(messages)) throw new HttpRefusal(400, 'A request with this id is still pending');
    const needsAnswer = messages.some(isRequest);
    session.transport.receive(messages, needsAnswer ? createSseStream(response) : undefined, accepted.trackCall);
    if (!needsAnswer) sendEmpty(response, 202);
  }

  async function post(accepted: McpRequest): Promise<void> {
    const { request, response, body } = accepted;
    checkAccept(request, ['application/json', eventStreamType]);
    const messages = parseMessages(body);
    if (!Array.isArray(messages)) return sendJson(response, 400, messages);
    const isFirst = messages.some(isInitialize);
    if (!isFirst) checkVersion(request);
    if (stateless) return await serveStateless(messages, accepted);
    return await (isFirst ? startSession : continueSession)(messages, accepted);
  }

  function openEventStream(session: Session, { request, response }: McpRequest): void {
    checkAccept(request, [eventStreamType]);
    if (session.transport.hasEventStream()) throw new HttpRefusal(409, 'This session already has an open stream');
    session.transport.openEventStream(createSseStream(response));
  }

  async function serve(accepted: McpRequest): Promise<void> {
    const { request, response } = accepted;
    const { method = '' } = request;
    if (!allowed.includes(method)) throw new HttpRefusal(405, 'Method not allowed', { allow: allowed.join(', ') });
    if (method === 'POST') return await post(accepted);
    const session = await sessionOf(accepted, sessions);
    if (method === 'GET') return openEventStream(session, accepted);
    await sessions.end(session);
    sendEmpty(response, 200);
  }

  return {
    sessions: sessions.count,
    serve,
    close: async () => {
      clearInterval(timer);
      await sessions.close();
    },
  };
}
