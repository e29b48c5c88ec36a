import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Times in milliseconds. */
export const connectionLimits = {
  /** Open connections. A further one closes the connection that has been idle longest, or else the one that is cheapest to lose. */
  connections: 512,
  /** Time from a final refusal until the server closes the connection, even if the client keeps its side open. */
  lingerMs: 1_200,
  /** How long a client may leave an answer unread before the server closes the connection. */
  drainMs: 30_000,
  /** How often these times are checked. */
  sweepMs: 400,
};

interface Connection {
  readonly socket: Socket;
  /** Responses that are not complete, the oldest first. */
  readonly responses: Set<ServerResponse>;
  /** When its final refusal was sent. */
  refusedAt?: number;
  /** The response whose data the client does not read, and since when. */
  stuck?: { readonly response: ServerResponse; readonly since: number };
}

/** The connections of a server. A client cannot hold one by doing nothing. */
export interface Connections {
  add(socket: Socket): void;
  /** Marks the connection of a new request as busy until the response closes. */
  serve(response: ServerResponse): void;
  /** Whether a connection is open that is more than a stream. */
  isBusy(): boolean;
  /** Whether the headers of a response are sent. Then no other response can be sent on this connection. */
  isAnswering(socket: Socket): boolean;
  /** Records that the final refusal on this connection is sent. */
  refuse(socket: Socket): void;
  stop(): void;
}

/** Whether this is a refusal after which Node closes. Other answers may be long and take their time. */
function isLastRefusal(response: ServerResponse): boolean {
  const isLast = !response.shouldKeepAlive || response.getHeader('connection') === 'close';
  return isLast && response.writableEnded && response.statusCode >= 400;
}

function isUnread(response: ServerResponse): boolean {
  const isWaiting = response.writableEnded || response.writableNeedDrain;
  return isWaiting && !response.writableFinished && (response.socket?.writableLength ?? 0) > 0;
}

// Callers with several tokens can have more requests in flight than there are connections. A connection is cheapest to
// lose if it is idle, then if its request is still arriving, then if it carries a stream that can be opened again.

const isIdle = ({ responses }: Connection) => responses.size === 0;
const isUnfinished = ({ responses }: Connection) => [...responses].every(({ req }) => !req.complete);
const isStream = ({ responses }: Connection) => [...responses].every(({ req }) => req.method === 'GET');

/** Watches all connections with one timer: a timer for each would cost more than an answer. */
export function watchConnections(limits = connectionLimits, now: () => number = () => performance.now()): Connections {
  // Idle connections are in the order in which they became idle.
  const open = new Map<Socket, Connection>();

  function sweep(connection: Connection): void {
    const [response] = connection.responses;
    if (response !== undefined && isLastRefusal(response)) connection.refusedAt ??= now();
    const { refusedAt = Number.POSITIVE_INFINITY, socket } = connection;
    if (now() - refusedAt > limits.lingerMs) return void socket.destroy();
    if (response === undefined || !isUnread(response)) return void delete connection.stuck;
    if (connection.stuck?.response !== response) connection.stuck = { response, since: now() };
    else if (now() - connection.stuck.since > limits.drainMs) socket.destroy();
  }

  function evictCheapest(added: Socket): void {
    if (open.size <= limits.connections) return;
    const others = [...open.values()].filter(({ socket }) => socket !== added);
    const candidates = [isIdle, isUnfinished, isStream].map((isCheap) => others.find(isCheap));
    const cheapest = candidates.find((connection) => connection !== undefined);
    // If every other connection waits for the answer to a complete request, the new one is closed.
    (cheapest?.socket ?? added).destroy();
  }

  const timer = setInterval(() => {
    for (const connection of open.values()) sweep(connection);
  }, limits.sweepMs).unref();

  return {
    add: (socket) => {
      open.set(socket, { socket, responses: new Set() });
      socket.once('close', () => open.delete(socket));
      evictCheapest(socket);
    },
    serve: (response) => {
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
    isBusy: () => [...open.values()].some((connection) => isIdle(connection) || !isStream(connection)),
    isAnswering: (socket) => {
      const [response] = open.get(socket)?.responses ?? [];
      return response?.headersSent === true;
    },
    refuse: (socket) => {
      const connection = open.get(socket);
      if (connection !== undefined) connection.refusedAt ??= now();
    },
    stop: () => clearInterval(timer),
  };
}
