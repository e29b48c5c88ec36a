import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Times in milliseconds. */
export const connectionLimits = {
  /** Open connections. One more ends the one that has been idle longest, or else one that costs its client little. */
  connections: 512,
  /** From a refusal after which the server closes to the end of its connection, whether the client closes its side or not. */
  lingerMs: 1_200,
  /** How long a client may leave an answer unread before its connection ends. */
  drainMs: 30_000,
  /** How often these times are looked at. */
  sweepMs: 400,
};

interface Connection {
  readonly socket: Socket;
  /** Answers that have not been handed over, the oldest first. */
  readonly responses: Set<ServerResponse>;
  /** When it was refused for the last time. */
  refusedAt?: number;
  /** The answer that does not get on, and since when. */
  stuck?: { readonly response: ServerResponse; readonly since: number };
}

/** The connections of a server, none of which a client may keep by doing nothing. */
export interface Connections {
  add(socket: Socket): void;
  /** A request has come; its connection is not idle until the response is closed. */
  serve(response: ServerResponse): void;
  /** Whether the headers of an answer have left: nothing else can be said on this connection. */
  isAnswering(socket: Socket): boolean;
  /** Its last answer has been written. */
  refuse(socket: Socket): void;
  stop(): void;
}

/** A refusal after which Node closes. An answer that is no refusal may be long, and takes its time. */
function isLastRefusal(response: ServerResponse): boolean {
  const isLast = !response.shouldKeepAlive || response.getHeader('connection') === 'close';
  return isLast && response.writableEnded && response.statusCode >= 400;
}

function isUnread(response: ServerResponse): boolean {
  const isWaiting = response.writableEnded || response.writableNeedDrain;
  return isWaiting && !response.writableFinished && (response.socket?.writableLength ?? 0) > 0;
}

// Callers with several tokens may have more requests under way than there are connections. What is lost with one of them
// costs its client least where nothing was asked, then where a request is still on its way, then where a stream can be
// opened again.

const isIdle = ({ responses }: Connection) => responses.size === 0;
const isUnfinished = ({ responses }: Connection) => [...responses].every(({ req }) => !req.complete);
const isStream = ({ responses }: Connection) => [...responses].every(({ req }) => req.method === 'GET');

/** Keeps watch over connections by one timer: a timer for each would cost more than an answer. */
export function watchConnections(limits = connectionLimits, now: () => number = () => performance.now()): Connections {
  // Idle ones are in the order in which they became idle.
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

  function makeRoom(added: Socket): void {
    if (open.size <= limits.connections) return;
    const others = [...open.values()].filter(({ socket }) => socket !== added);
    const found = [isIdle, isUnfinished, isStream].map((costsLittle) => others.find(costsLittle));
    const spared = found.find((connection) => connection !== undefined);
    // The new one itself, where all others wait for the answer to a whole request.
    (spared?.socket ?? added).destroy();
  }

  const timer = setInterval(() => {
    for (const connection of open.values()) sweep(connection);
  }, limits.sweepMs).unref();

  return {
    add: (socket) => {
      open.set(socket, { socket, responses: new Set() });
      socket.once('close', () => open.delete(socket));
      makeRoom(socket);
    },
    serve: (response) => {
      const { socket } = response.req;
      const connection = open.get(socket);
      if (connection === undefined) return;
      connection.responses.add(response);
      response.once('close', () => {
        connection.responses.delete(response);
        // Idle from now on: behind all that are idle longer.
        if (open.delete(socket)) open.set(socket, connection);
      });
    },
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
