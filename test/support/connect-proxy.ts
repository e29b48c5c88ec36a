import { createServer, request as httpRequest } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, type Server } from 'node:net';
import { onTestFinished } from 'vitest';

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** A server with TLS that passes each request on to the server at `target`, on the same path. */
export async function startTlsFront(identity: { key: Buffer; cert: Buffer }, target: string): Promise<number> {
  const server = createTlsServer(identity, (request, response) => {
    const { method, headers, url = '/' } = request;
    const onward = httpRequest(new URL(url, target), { method, headers, agent: false }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.once('error', () => response.destroy());
    request.pipe(onward);
  });
  onTestFinished(() => server.closeAllConnections());
  return await listening(server);
}

/** A forward proxy (CONNECT) that knows where the named hosts are. `refuseWith` makes it refuse every tunnel. */
export async function startConnectProxy(ports: Readonly<Record<string, number>>, refuseWith?: number) {
  const tunnels: string[] = [];
  const requests: string[] = [];
  const authorizations: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url ?? '');
    response.writeHead(502).end();
  });
  server.on('connect', (request, socket) => {
    tunnels.push(request.url ?? '');
    authorizations.push(request.headers['proxy-authorization']);
    socket.on('error', () => {});
    const port = ports[request.url ?? ''];
    if (refuseWith !== undefined || port === undefined)
      return void socket.end(`HTTP/1.1 ${refuseWith ?? 502} No\r\n\r\n`);
    const onward = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      onward.pipe(socket);
      socket.pipe(onward);
    });
    onward.on('error', () => socket.destroy());
    socket.on('close', () => onward.destroy());
    onTestFinished(() => void onward.destroy());
  });
  const url = `http://127.0.0.1:${await listening(server)}`;
  onTestFinished(() => server.closeAllConnections());
  return { url, tunnels, requests, authorizations };
}
