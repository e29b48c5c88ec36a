import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server as HttpServer, type RequestListener } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { atEnd } from './at-end.ts';

async function opened(server: Server, wanted: number): Promise<number> {
  server.listen(wanted, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** A plain HTTP server of this machine, or another one that is given; without a port, at a free one. */
export async function listen(answer: RequestListener | Server, wanted = 0) {
  const server = typeof answer === 'function' ? createServer(answer) : answer;
  const port = await opened(server, wanted);
  atEnd(async () => {
    if (!server.listening) return;
    const closed = once(server.close(), 'close');
    if ('closeAllConnections' in server) (server as HttpServer).closeAllConnections();
    await closed;
  });
  return { url: `http://127.0.0.1:${port}`, port };
}

/** A free port below those that a system gives by itself (Linux: from 32768), so that no other test takes it. */
export async function freePort(): Promise<number> {
  const server = createServer();
  const port = await opened(server, randomInt(10_000, 32_000)).catch(() => freePort());
  if (server.listening) await once(server.close(), 'close');
  return port;
}
