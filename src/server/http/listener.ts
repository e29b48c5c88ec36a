import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { commonHeaders, HttpRefusal, onClosed, sendRefusal } from '../../protocol/http-response.ts';
import { AcademyError, rpcCodes } from '../../shared/errors.ts';
import type { FailedCheck } from './auth/oauth.ts';

/** Open connections. A further one closes the connection that has been idle longest, or else the one that is cheapest to lose. */
const maxConnections = 512;
/** Milliseconds from the answer to bytes that are not HTTP until the server closes the connection, even if the client keeps its side open. */
const lingerMs = 1_200;
/** How long a client may leave an answer unread before the server closes the connection, in milliseconds. */
const drainMs = 30_000;
const sweepMs = 400;

interface Connection {
  readonly socket: Socket;
  /** Responses that are not complete, the oldest first. */
  readonly responses: Set<ServerResponse>;
  /** The response whose data the client does not read, and since when. */
  stuck?: { readonly response: ServerResponse; readonly since: number };
}

type Connections = ReturnType<typeof watchConnections>;

function isUnread(response: ServerResponse): boolean {
  const isWaiting = response.writableEnded || response.writableNeedDrain;
  return isWaiting && !response.writableFinished && (response.socket?.writableLength ?? 0) > 0;
}

// Cheapest to lose: an idle connection, then one whose request still arrives, then a stream, which can be opened again.

const isIdle = ({ responses }: Connection) => responses.size === 0;
const isUnfinished = ({ responses }: Connection) => [...responses].every(({ req }) => !req.complete);
const isOpenStream = ({ responses }: Connection) => [...responses].every(({ req }) => req.method === 'GET');

/** Watches all connections with one timer: a timer for each would cost more than an answer. A client cannot hold one by doing nothing. */
function watchConnections(pace: number) {
  // Idle connections are in the order in which they became idle.
  const open = new Map<Socket, Connection>();

  function sweep(connection: Connection): void {
    const [response] = connection.responses;
    const now = performance.now();
    if (response === undefined || !isUnread(response)) delete connection.stuck;
    else if (connection.stuck?.response !== response) connection.stuck = { response, since: now };
    else if (now - connection.stuck.since > drainMs * pace) connection.socket.destroy();
  }

  function evictCheapest(added: Socket): void {
    if (open.size <= maxConnections) return;
    const others = [...open.values()].filter(({ socket }) => socket !== added);
    const candidates = [isIdle, isUnfinished, isOpenStream].map((isCheap) => others.find(isCheap));
    const cheapest = candidates.find((connection) => connection !== undefined);
    // If every other connection waits for the answer to a complete request, the new one is closed.
    (cheapest?.socket ?? added).destroy();
  }

  const timer = setInterval(() => {
    for (const connection of open.values()) sweep(connection);
  }, sweepMs).unref();

  return {
    add: (socket: Socket): void => {
      open.set(socket, { socket, responses: new Set() });
      socket.once('close', () => open.delete(socket));
      evictCheapest(socket);
    },
    /** Marks the connection of a new request as busy until the response closes. */
    serve: (response: ServerResponse): void => {
      const { socket } = response.req;
      const connection = open.get(socket);
      if (connection === undefined) return;
      connection.responses.add(response);
      response.once('close', () => {
        connection.responses.delete(response);
        // The connection is idle now, so it moves behind those that have been idle longer.
        if (open.delete(socket)) open.set(socket, connection);
      });
    },
    /** Whether a connection is open that is more than a stream. */
    isBusy: () => [...open.values()].some((connection) => isIdle(connection) || !isOpenStream(connection)),
    /** Whether the headers of a response are sent. Then no other response can be sent on this connection. */
    isAnswering: (socket: Socket): boolean => {
      const [response] = open.get(socket)?.responses ?? [];
      return response?.headersSent === true;
    },
    stop: () => clearInterval(timer),
  };
}

/** What the log says about a request besides its status and duration. Holds no token, no arguments and no answer. */
export interface RequestFacts {
  /** Only of a known route: any other path may hold anything. */
  path?: string;
  /** As in the audit log. Missing if the request was refused before its caller was known. */
  caller?: string;
  /** Methods of the MCP messages, separated by commas. */
  message?: string;
  /** Tools that the messages call, separated by commas. */
  tool?: string;
  refused?: readonly FailedCheck[];
}

interface ListenerOptions {
  host: string;
  port: number;
  log: Logger;
  /** Multiplies the time limits for receiving a request and for reading an answer: 1, or less in tests. */
  pace?: number | undefined;
  handle(request: IncomingMessage, response: ServerResponse, facts: RequestFacts): void | Promise<void>;
}

export type Listener = Awaited<ReturnType<typeof startListener>>;

/** Node's defaults are too loose: a request may take five minutes to arrive. Times in milliseconds. */
const limitsAt = (pace: number) => ({
  headersTimeout: 10_000 * pace,
  // Limits the time to receive the request. The answer may take as long as it needs.
  requestTimeout: 30_000 * pace,
  // Longer than the 60 s after which load balancers close idle connections, so that the balancer closes first.
  keepAliveTimeout: 65_000,
  maxHeaderSize: 16 * 1024,
  // How often these times are checked. The default of Node is 30 s.
  connectionsCheckingInterval: 2_000 * pace,
  // A request without Host gets our own JSON error. Node would send an empty body.
  requireHostHeader: false,
});

const statusOf: Partial<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** Answers bytes that are not HTTP with a JSON error that repeats none of them. */
function refuseUnreadable({ code = '' }: Error & { code?: string }, socket: Socket, connections: Connections): void {
  if (code === 'ECONNRESET' || !socket.writable || connections.isAnswering(socket)) return void socket.destroy();
  const status = statusOf[code] ?? '400 Bad Request';
  const error = { code: rpcCodes.server, message: status.replace(/^\d+ /, '') };
  const body = JSON.stringify({ jsonrpc: '2.0', error });
  const sized = { 'content-type': 'application/json', 'content-length': body.length };
  const headers = Object.entries({ ...sized, ...commonHeaders, connection: 'close' });
  const head = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.end(`HTTP/1.1 ${status}\r\n${head}\r\n${body}`);
  setTimeout(() => socket.destroy(), lingerMs).unref();
}

/** With several requests on one connection, Node emits `close` on the first response only. */
function closeWithConnection(response: ServerResponse): void {
  const { socket } = response.req;
  const close = () => {
    if (!response.destroyed) response.destroy().emit('close');
  };
  socket.setMaxListeners(0).once('close', close);
  // An answer of 2026-07-28 is piped, and Node's pipeline alone adds several listeners.
  response.setMaxListeners(0).once('close', () => socket.off('close', close));
}

function isStream({ method, headers }: IncomingMessage): boolean {
  if (headers['mcp-method'] === 'subscriptions/listen') return true;
  return method === 'GET' && headers.accept?.includes('text/event-stream') === true;
}

async function listen(server: Server, host: string, port: number): Promise<AddressInfo> {
  server.listen(port, host);
  await once(server, 'listening').catch((cause: Error) => {
    const message = `cannot listen on ${host}:${port}: ${cause.message.split(':', 1)[0]}`;
    throw new AcademyError('invalid_settings', message, { hint: 'Choose another --port or --host.', cause });
  });
  return server.address() as AddressInfo;
}

/** Starts the HTTP server with its limits and one log line for each request. Rejects if it cannot listen. */
export async function startListener({ host, port, log, pace = 1, handle }: ListenerOptions) {
  let isEnding = false;
  const connections = watchConnections(pace);
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const id = randomUUID();
    const facts: RequestFacts = {};
    const start = performance.now();
    response.setHeader('x-request-id', id);
    // A stream ends when the server stops: a proxy must not send the next request on its connection.
    if (isEnding || isStream(request)) response.setHeader('connection', 'close');
    connections.serve(response);
    closeWithConnection(response);
    onClosed(response, () => {
      const milliseconds = Math.round(performance.now() - start);
      const { headersSent, statusCode, writableFinished } = response;
      // Before anything is sent, statusCode is a default without meaning.
      const status = headersSent ? { status: statusCode } : {};
      const what = writableFinished ? 'request answered' : 'connection closed before the answer was complete';
      // A refused token is shown at the default log level, so that its cause can be found.
      const level = facts.refused === undefined ? 'info' : 'warn';
      log[level]({ request: id, method: request.method, ...facts, ...status, milliseconds }, what);
    });
    try {
      await handle(request, response, facts);
    } catch (error) {
      if (response.destroyed) return;
      if (error instanceof HttpRefusal) return sendRefusal(response, error);
      log.error({ request: id, err: error }, 'request failed unexpectedly');
      sendRefusal(response, new HttpRefusal(500, 'Internal server error'));
    }
  };
  const server = createServer(limitsAt(pace), serve);
  // Without this handler, Node answers these requests itself, before the Host and Origin check.
  server.on('checkExpectation', serve);
  server.on('connection', connections.add);
  // Without TLS the value is a Socket, which the type does not say.
  server.on('clientError', (error, socket) => refuseUnreadable(error, socket as Socket, connections));
  const { address, port: actual } = await listen(server, host, port);
  // Such as too many open files, which passes.
  server.on('error', (error) => log.error({ err: error }, 'cannot accept a connection'));
  return {
    /** The IP address that the server listens on, even if `host` is a name. */
    address,
    port: actual,
    /** Accepts no new connections. Each open one is served once more, and closes with its answer. */
    stopListening: (): void => {
      isEnding = true;
      // The close of an HTTP server closes idle connections too. A proxy may be sending a request on one of them at this moment.
      NetServer.prototype.close.call(server);
    },
    /** Waits for the open connections, except streams, for at most `milliseconds`. Then closes idle ones. */
    untilServed: async (milliseconds: number): Promise<void> => {
      const end = performance.now() + milliseconds;
      while (connections.isBusy() && performance.now() < end) await sleep(20);
      server.close();
    },
    cut: (): void => {
      server.closeAllConnections();
      connections.stop();
    },
  };
}
