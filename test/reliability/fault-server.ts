import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import type { Exchange, Received } from './fault.ts';
import { type Armed, createFaultCatalog, type ToArm } from './fault-catalog.ts';
import { forwarder } from './forward.ts';
import { answerBytes, requestsFrom } from './raw-http.ts';

/** One received request, and its result. */
export interface LogEntry {
  /** Milliseconds of the monotonic clock. */
  readonly at: number;
  /** Empty, like `path`, if the connection was cut before a request was read. */
  readonly method: string;
  readonly path: string;
  /** The name of the fault that hit it. */
  fault?: string;
  /** The answer of the sandbox, if the request reached it. */
  status?: number;
  worked: boolean;
  /** The time of that answer. */
  workedAt?: number;
}

export interface FaultServer {
  readonly port: number;
  readonly url: string;
  /** All received requests, oldest first; those with `worked` reached the sandbox. */
  readonly log: readonly LogEntry[];
  arm(fault: ToArm): Armed;
  /** Ends connections that carry no request, so that the next request needs a new one. */
  dropIdle(): void;
  /** Refuses connections until the returned function has listened again on the same port. */
  refuse(): Promise<() => Promise<void>>;
  /** Serves a connection that was accepted elsewhere. */
  accept(socket: Socket): void;
  close(): Promise<void>;
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
}

/**
 * A proxy between a client and the sandbox at `target`, on plain sockets, so that it can do what no HTTP server does.
 * Without an armed fault it forwards everything.
 */
export async function startFaultServer(target: string): Promise<FaultServer> {
  const forward = forwarder(target);
  const faultCatalog = createFaultCatalog();
  const log: LogEntry[] = [];
  const idle = new Map<Socket, boolean>();

  function exchangeOf(socket: Socket, request: Received, entry: LogEntry): Exchange {
    const work = async () => {
      entry.worked = true;
      const done = await forward.send(request);
      entry.status = done.status;
      entry.workedAt = performance.now();
      return done;
    };
    return { socket, request, work };
  }

  /** Applies the fault armed for this request; false if there is none. */
  async function fails(at: 'head' | 'body' | 'reused', exchange: Exchange, entry: LogEntry): Promise<boolean> {
    const { method, path, body } = exchange.request;
    const armed = faultCatalog.take(at, (match) => match(method, path, body.toString('utf8')));
    if (armed === undefined) return false;
    entry.fault = armed.name;
    await armed.fault.act(exchange);
    return true;
  }

  async function serve(socket: Socket): Promise<void> {
    for await (const { head, whole } of requestsFrom(socket)) {
      idle.set(socket, false);
      const entry: LogEntry = { at: performance.now(), method: head.method, path: head.path, worked: false };
      log.push(entry);
      if (await fails('head', exchangeOf(socket, head, entry), entry)) return;
      const exchange = exchangeOf(socket, await whole(), entry);
      const failed =
        (head.reused && (await fails('reused', exchange, entry))) || (await fails('body', exchange, entry));
      if (!failed) socket.write(answerBytes(await exchange.work()));
      idle.set(socket, true);
    }
  }

  function accept(socket: Socket): void {
    idle.set(socket, true);
    socket.on('error', () => {});
    socket.on('close', () => idle.delete(socket));
    const armed = faultCatalog.take('connection', () => true);
    if (armed === undefined) return void serve(socket).catch(() => socket.destroy());
    log.push({ at: performance.now(), method: '', path: '', fault: armed.name, worked: false });
    armed.fault.act(socket);
  }

  let server = createServer(accept);
  await listen(server, 0);
  const { port } = server.address() as AddressInfo;

  async function shut(): Promise<void> {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of idle.keys()) socket.destroy();
    await closed;
  }

  return {
    port,
    url: `http://127.0.0.1:${port}`,
    log,
    arm: faultCatalog.arm,
    accept,
    dropIdle: () => {
      for (const [socket, isIdle] of idle) if (isIdle) socket.end();
    },
    refuse: async () => {
      await shut();
      return async () => {
        server = createServer(accept);
        await listen(server, port);
      };
    },
    close: async () => {
      await shut();
      forward.close();
    },
  };
}
