import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A scripted answer of an API: JSON, plain text, or a function that writes the response. */
export type Reply = (url: URL, request: IncomingMessage, response: ServerResponse) => unknown;

/** An API with scripted answers, and a count of its requests. */
export async function startApi(reply: Reply) {
  let requests = 0;
  const server = createServer((request, response) => {
    requests += 1;
    request.resume().once('end', () => {
      const said = reply(new URL(request.url ?? '/', 'http://127.0.0.1'), request, response);
      if (said === undefined) return;
      if (!response.headersSent) response.writeHead(response.statusCode, { 'content-type': 'application/json' });
      response.end(typeof said === 'string' ? said : JSON.stringify(said));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: () => requests,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
