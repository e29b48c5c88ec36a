import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { SettingsError } from '../../shared/errors.ts';
import { handleRequest, type RequestSettings, send } from './handle-request.ts';

interface ServerSettings extends RequestSettings {
  host: string;
  port: number;
  latencyMs: number;
}

export interface RunningServer {
  url: string;
  /** Answers the requests in progress, without further latency, and ends all connections. */
  close(): Promise<void>;
}

/** How long requests in progress may take when the server closes. */
const graceMs = 1000;

/** Long, so a client rarely writes to a connection that the server is closing. With Node's default of 5 s that is common. */
const keepAliveMs = 65_000;

export async function startServer(settings: ServerSettings): Promise<RunningServer> {
  const closing = new AbortController();
  // Each delayed response adds a listener; from 11 on, Node would warn of a leak.
  setMaxListeners(0, closing.signal);
  const open = new Set<ServerResponse>();
  const server = createServer({ keepAliveTimeout: keepAliveMs }, (request, response) => {
    open.add(response);
    response.once('close', () => open.delete(response));
    void handle(request, response, settings, closing.signal);
  });
  await listen(server, settings);
  return { url: urlOf(server, settings.host), close: () => closeServer(server, closing, open) };
}

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  settings: ServerSettings,
  closing: AbortSignal,
): Promise<void> {
  const requestId = randomUUID();
  response.setHeader('X-Request-Id', requestId);
  const outcome = await handleRequest(request, requestId, settings);
  if (settings.latencyMs > 0) await delay(settings.latencyMs, undefined, { signal: closing }).catch(() => undefined);
  if (outcome === 'cut') return void request.socket.destroy();
  if (closing.aborted) response.setHeader('Connection', 'close');
  send(response, outcome);
}

function listen(server: Server, { host, port }: ServerSettings): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) =>
      reject(new SettingsError(`cannot listen on ${host} port ${port}: ${error.message}`)),
    );
    server.listen(port, host, () => resolve());
  });
}

/** A server on all interfaces is reachable at the loopback address. */
function urlOf(server: Server, host: string): string {
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const reachable = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}

async function closeServer(server: Server, closing: AbortController, open: Set<ServerResponse>): Promise<void> {
  closing.abort();
  server.close();
  const ended = [...open].map((response) => new Promise((resolve) => response.once('close', resolve)));
  const waiting = new AbortController();
  const grace = delay(graceMs, undefined, { signal: waiting.signal }).catch(() => undefined);
  await Promise.race([Promise.all(ended), grace]);
  waiting.abort();
  server.closeAllConnections();
}
