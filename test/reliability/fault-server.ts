import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { Act, Done, Exchange, Received } from './fault.ts';
import { answerBytes, requestsFrom } from './raw-http.ts';

const passedOn = ['authorization', 'content-type', 'accept', 'user-agent'];
const passedBack = ['content-type', 'x-request-id', 'x-api-version', 'retry-after', 'www-authenticate'];

async function read(response: IncomingMessage): Promise<Done> {
  const headers = passedBack.flatMap((name) => {
    const value = response.headers[name];
    return typeof value === 'string' ? [[name, value]] : [];
  });
  return { status: response.statusCode ?? 0, headers: Object.fromEntries(headers), body: await buffer(response) };
}

/** Forwards requests that were received elsewhere to the server at `target`. */
function forwarder(target: string) {
  const agent = new Agent({ keepAlive: true });
  const send = ({ method, path, headers, body }: Received) =>
    new Promise<Done>((resolve, reject) => {
      const given = passedOn.flatMap((name) => (headers.has(name) ? [[name, headers.get(name)]] : []));
      const length = body.length > 0 ? { 'content-length': body.length } : {};
      const options = { agent, method, headers: { ...Object.fromEntries(given), ...length } };
      const outgoing = httpRequest(target + path, options, (response) => read(response).then(resolve, reject));
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  return { send, close: () => agent.destroy() };
}

export interface LogEntry {
  /** Milliseconds of the monotonic clock. */
  readonly at: number;
  /** Empty, like `path`, if the connection was cut before a request was read. */
  readonly method: string;
  readonly path: string;
  fault?: string;
  /** The answer of the sandbox, if the request reached it. */
  status?: number;
  worked: boolean;
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

type Match = (method: string, path: string, body: string) => boolean;

interface Armed {
  readonly left: () => number;
  readonly consumed: () => number;
  disarm(): void;
}

interface ToArm {
  readonly name: string;
  readonly fault: Act;
  /** The requests that it applies to; default: any. A fault at the connection hits the first connection. */
  readonly match?: Match;
  readonly times?: number;
}

interface Waiting extends Required<ToArm> {
  times: number;
  consumed: number;
}

function createFaultCatalog() {
  const waiting: Waiting[] = [];

  function arm({ match = () => true, times = 1, ...rest }: ToArm): Armed {
    const entry: Waiting = { ...rest, match, times, consumed: 0 };
    waiting.push(entry);
    const disarm = () => {
      entry.times = 0;
    };
    return { left: () => entry.times, consumed: () => entry.consumed, disarm };
  }

  function take<At extends Act['at']>(at: At, fits: (match: Match) => boolean) {
    const entry = waiting.find((other) => other.fault.at === at && other.times > 0 && fits(other.match));
    if (entry === undefined) return undefined;
    entry.times -= 1;
    entry.consumed += 1;
    return { name: entry.name, fault: entry.fault as Extract<Act, { at: At }> };
  }

  return { arm, take };
}
