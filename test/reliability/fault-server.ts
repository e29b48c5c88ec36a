import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { freePort, listen } from '../support/listen.ts';
import { type Done, passOn, type Received } from '../support/pass-on.ts';

/** A received request, and what can be done about it. */
export interface Exchange {
  readonly socket: Socket;
  readonly response: ServerResponse;
  readonly request: Received;
  /** Lets the academy do it. */
  work(): Promise<Done>;
  /** Answers as a healthy server does, or with `fake` headers instead of the true ones. */
  answer(done: Done, fake?: Record<string, string>): void;
}

/**
 * When a fault acts. `connection`: before a request is read; `head`: after its head was received; `body`: after it was
 * received completely; `reused`: like `body`, but only on a connection that has carried a request before.
 */
export type Act =
  | { readonly at: 'connection'; readonly act: (socket: Socket) => unknown }
  | { readonly at: 'head' | 'body' | 'reused'; readonly act: (exchange: Exchange) => unknown };

export interface LogEntry {
  /** Milliseconds of the monotonic clock. */
  readonly at: number;
  /** Empty, like `path`, if the connection was cut before a request was read. */
  readonly method: string;
  readonly path: string;
  fault?: string;
  /** The answer of the academy, if the request reached it. */
  status?: number;
  worked: boolean;
  workedAt?: number;
}

interface ToArm {
  readonly name: string;
  readonly fault: Act;
  /** The requests that it applies to; default: any. A fault at the connection hits the first connection. */
  readonly match?: (method: string, path: string, body: string) => boolean;
  readonly times?: number;
}

export type FaultServer = Awaited<ReturnType<typeof startFaultServer>>;

/** A proxy between a client and the academy at `target`. Without an armed fault it forwards everything. */
export async function startFaultServer(target: string) {
  const log: LogEntry[] = [];
  const armed: (ToArm & { left: number; consumed: number })[] = [];
  /** Connections that have carried a request, and carry none now. */
  const idle = new Set<Socket>();
  const server = createServer(
    (request, response) => void serve(request, response).catch(() => request.socket.destroy()),
  );
  // What it does not do on purpose, it never does: no connection ends by itself.
  Object.assign(server, { keepAliveTimeout: 0, requestTimeout: 0, headersTimeout: 0 });

  function take(at: Act['at'], fits: (match: NonNullable<ToArm['match']>) => boolean) {
    const found = armed.find(
      ({ fault, left, match }) => fault.at === at && left > 0 && (match === undefined || fits(match)),
    );
    if (found === undefined) return undefined;
    found.left -= 1;
    found.consumed += 1;
    return found;
  }

  function exchangeOf(request: IncomingMessage, response: ServerResponse, entry: LogEntry): Exchange {
    const received = { method: entry.method, path: entry.path, headers: request.headers, body: '' };
    response.sendDate = false;
    return {
      socket: request.socket,
      response,
      request: received,
      work: async () => {
        entry.worked = true;
        const done = await passOn(target, received);
        entry.status = done.status;
        entry.workedAt = performance.now();
        return done;
      },
      answer: ({ status, headers, body }, fake = {}) => {
        const length = { 'content-length': String(Buffer.byteLength(body)) };
        response.writeHead(status, { ...headers, ...length, ...fake }).end(body);
      },
    };
  }

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url: path = '', socket } = incoming;
    const entry: LogEntry = { at: performance.now(), method, path, worked: false };
    log.push(entry);
    const isReused = idle.delete(socket);
    response.once('close', () => socket.destroyed || idle.add(socket));
    const exchange = exchangeOf(incoming, response, entry);
    const { request } = exchange;
    /** Applies the fault armed for this request; false if there is none. */
    const fails = async (at: 'head' | 'body' | 'reused') => {
      const found = take(at, (match) => match(method, path, request.body));
      if (found === undefined || found.fault.at === 'connection') return false;
      entry.fault = found.name;
      await found.fault.act(exchange);
      return true;
    };
    if (await fails('head')) return;
    request.body = await text(incoming);
    if ((isReused && (await fails('reused'))) || (await fails('body'))) return;
    exchange.answer(await exchange.work());
  }

  server.prependListener('connection', (socket: Socket) => {
    socket.on('error', () => {});
    socket.on('close', () => idle.delete(socket));
    const found = take('connection', () => true);
    if (found === undefined || found.fault.at !== 'connection') return;
    log.push({ at: performance.now(), method: '', path: '', fault: found.name, worked: false });
    found.fault.act(socket);
  });
  const { url, port } = await listen(server, await freePort());

  return {
    port,
    url,
    /** All received requests, oldest first; those with `worked` reached the academy. */
    log,
    arm: ({ times = 1, ...fault }: ToArm) => {
      const entry = { ...fault, left: times, consumed: 0 };
      armed.push(entry);
      const disarm = () => {
        entry.left = 0;
      };
      return { left: () => entry.left, consumed: () => entry.consumed, disarm };
    },
    accept: (socket: Socket) => void server.emit('connection', socket),
    /** Ends connections that carry no request, at both ends, so that the next request needs a new one. */
    dropIdle: () => Promise.all([...idle].map((socket) => once(socket.end(), 'close'))),
    /** Refuses connections until the returned function has listened again on the same port. */
    refuse: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
      return () => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    },
  };
}
