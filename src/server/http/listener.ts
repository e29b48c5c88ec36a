import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Logger } from 'pino';
import { answerError, common, onClosed } from '../../protocol/http-response.ts';
import { AcademyError, rpcCodes } from '../../shared/errors.ts';
import { type Connections, connectionLimits, watchConnections } from './connections.ts';

export interface ListenerOptions {
  host: string;
  port: number;
  log: Logger;
  /** Factor of the times that a request may take to arrive and an answer to be read: 1, or less in a test that cannot wait. */
  pace?: number | undefined;
  handle(request: IncomingMessage, response: ServerResponse): void | Promise<void>;
}

export interface Listener {
  /** The IP address that is listened on, where the host was a name too. */
  readonly address: string;
  readonly port: number;
  /** Takes no new connections, and lets go of those that carry nothing. */
  stopListening(): void;
  /** Cuts what is still connected. */
  cut(): void;
}

/** Node's own limits are loose: a request may take five minutes to arrive. */
const limits = {
  headersTimeout: 10_000,
  // Of the request; its answer may take as long as it needs.
  requestTimeout: 30_000,
  // Above the minute after which load balancers let go, so that they are the ones who do.
  keepAliveTimeout: 65_000,
  maxHeaderSize: 16 * 1024,
  // How often these times are looked at; Node looks every half minute.
  connectionsCheckingInterval: 2_000,
  // Whoever sends no Host is answered like everybody else: Node would send an empty body.
  requireHostHeader: false,
};

function limitsAt(pace: number) {
  const { headersTimeout, requestTimeout, connectionsCheckingInterval } = limits;
  return {
    ...limits,
    headersTimeout: headersTimeout * pace,
    requestTimeout: requestTimeout * pace,
    connectionsCheckingInterval: connectionsCheckingInterval * pace,
  };
}

const statusOf: Partial<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** What is no HTTP gets an answer too, in JSON like the others, and nothing of it is repeated. */
function refuseUnreadable({ code = '' }: Error & { code?: string }, socket: Socket, connections: Connections): void {
  if (code === 'ECONNRESET' || !socket.writable || connections.isAnswering(socket)) return void socket.destroy();
  const status = statusOf[code] ?? '400 Bad Request';
  const error = { code: rpcCodes.server, message: status.replace(/^\d+ /, '') };
  const body = JSON.stringify({ jsonrpc: '2.0', error });
  const headers = { 'content-type': 'application/json', 'content-length': body.length, ...common, connection: 'close' };
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status}\r\n${head.join('')}\r\n${body}`);
  // A client that closes its side is not waited for.
  connections.refuse(socket);
}

/** Of several requests on one connection, Node tells only the first that their client has left. */
function closeWithConnection(response: ServerResponse): void {
  const { socket } = response.req;
  const close = () => {
    if (!response.destroyed) response.destroy().emit('close');
  };
  socket.setMaxListeners(0).once('close', close);
  response.once('close', () => socket.off('close', close));
}

function listen(server: Server, host: string, port: number): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => {
      const message = `cannot listen on ${host}:${port}: ${cause.message.split(':', 1)[0]}`;
      reject(new AcademyError('invalid_settings', message, { hint: 'Choose another --port or --host.', cause }));
    });
    server.listen(port, host, () => resolve(server.address() as AddressInfo));
  });
}

/** The HTTP server itself: its limits, and one line of log for each request. Rejects when it cannot listen. */
export async function startListener({ host, port, log, pace = 1, handle }: ListenerOptions): Promise<Listener> {
  let isEnding = false;
  const { drainMs } = connectionLimits;
  const connections = watchConnections({ ...connectionLimits, drainMs: drainMs * pace });
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const id = randomUUID();
    const start = performance.now();
    response.setHeader('x-request-id', id);
    // A connection that is kept would keep the program from ending.
    if (isEnding) response.setHeader('connection', 'close');
    connections.serve(response);
    closeWithConnection(response);
    onClosed(response, () => {
      const milliseconds = Math.round(performance.now() - start);
      const { headersSent, statusCode, writableFinished } = response;
      // Where nothing was sent, Node's status is that of an answer that might have been.
      const status = headersSent ? { status: statusCode } : {};
      const what = writableFinished ? 'answered' : 'its connection ended before its answer did';
      log.info({ request: id, method: request.method, ...status, milliseconds }, what);
    });
    try {
      await handle(request, response);
    } catch (error) {
      if (response.destroyed) return;
      log.error({ request: id, err: error }, 'a request failed unexpectedly');
      answerError(response, 500, 'The server made a mistake');
    }
  };
  const server = createServer(limitsAt(pace), serve);
  // Node would answer these itself, before any guard.
  server.on('checkExpectation', serve);
  server.on('connection', connections.add);
  // Of a server that speaks no TLS they are sockets, which its type does not say.
  server.on('clientError', (error, socket) => refuseUnreadable(error, socket as Socket, connections));
  const { address, port: actual } = await listen(server, host, port);
  return {
    address,
    port: actual,
    stopListening: () => {
      isEnding = true;
      server.close();
      server.closeIdleConnections();
    },
    cut: () => {
      server.closeAllConnections();
      connections.stop();
    },
  };
}
