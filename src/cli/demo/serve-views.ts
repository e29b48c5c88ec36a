import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import * as z from 'zod';
import type { Connection } from './connection.ts';

interface ViewServer {
  /** The address for the person's browser. Its last part is secret: other pages cannot guess it. */
  readonly url: string;
  close(): Promise<void>;
}

interface ViewPages {
  readonly connection: Pick<Connection, 'call' | 'readView'>;
  /** The page around the views. */
  readonly hostPage: () => Promise<string>;
}

const callBody = z.object({ name: z.string().max(100), arguments: z.record(z.string(), z.unknown()).default({}) });

/** In bytes: the outline of the largest course has fewer. */
const maxBody = 1_000_000;

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBody) throw new Error('the body is too long');
    chunks.push(chunk);
  }
  return JSON.parse(Buffer.concat(chunks).toString());
}

function send(response: ServerResponse, status: number, contentType: string, body: string): void {
  response.writeHead(status, {
    'content-type': contentType,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
  });
  response.end(body);
}

const html = 'text/html; charset=utf-8';
const json = 'application/json';

/** Answers one request below the secret part of the address. */
async function answer(path: string, request: IncomingMessage, response: ServerResponse, pages: ViewPages) {
  const { connection, hostPage } = pages;
  if (request.method === 'GET' && path === '') return send(response, 200, html, await hostPage());
  const view = /^(\w+)\.html$/.exec(path)?.[1];
  if (request.method === 'GET' && view !== undefined) {
    return send(response, 200, html, await connection.readView(`ui://academy/${view}.html`));
  }
  if (request.method === 'POST' && path === 'call') {
    const { name, arguments: given } = callBody.parse(await bodyOf(request));
    return send(response, 200, json, JSON.stringify(await connection.call(name, given)));
  }
  send(response, 404, 'text/plain', 'Not found\n');
}

/** Serves the views to the browser of this machine, on a free port unless one is given. */
export async function serveViews(pages: ViewPages, port: number): Promise<ViewServer> {
  const secret = randomBytes(16).toString('hex');
  const server = createServer((request, response) => {
    // Not parsed as a URL, which throws for a path such as "//".
    const [path = ''] = (request.url ?? '/').split('?');
    const [, first, ...rest] = path.split('/');
    if (first !== secret) return send(response, 404, 'text/plain', 'Not found\n');
    answer(rest.join('/'), request, response, pages).catch((error: unknown) => {
      send(response, 400, json, JSON.stringify({ error: String(error) }));
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const address = server.address();
  const used = typeof address === 'object' && address !== null ? address.port : port;
  return {
    url: `http://127.0.0.1:${used}/${secret}/`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
