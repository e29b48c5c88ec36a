import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

/** One request as received. `path` is raw: percent-encoded, without the query. */
export interface Recorded {
  method: string;
  path: string;
  query: [name: string, value: string][];
  headers: IncomingHttpHeaders;
  raw: string;
  /** The parsed JSON body; undefined if there is none or it is not JSON. */
  body: unknown;
}

/** The answer of the recorder: without `body` it is empty, a string is sent unchanged, anything else as JSON. */
export interface Reply {
  status?: number;
  headers?: Record<string, string>;
  body?: unknown;
}

export interface Recorder {
  url: string;
  requests: Recorded[];
}

/** Opens a server on a free port until the test ends, and returns its URL. */
export async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Starts a plain HTTP server on a free port that records every request and does not know the API. It closes with the test. */
export async function startRecorder(reply: Reply | ((request: Recorded, index: number) => Reply)): Promise<Recorder> {
  const requests: Recorded[] = [];
  const server = createServer(async (incoming, outgoing) => {
    const request = await record(incoming);
    const index = requests.push(request) - 1;
    send(outgoing, typeof reply === 'function' ? reply(request, index) : reply);
  });
  return { url: await listen(server), requests };
}

async function record(incoming: IncomingMessage): Promise<Recorded> {
  const raw = await text(incoming);
  const [path = '', search = ''] = (incoming.url ?? '').split('?', 2);
  const query = [...new URLSearchParams(search)];
  return { method: incoming.method ?? '', path, query, headers: incoming.headers, raw, body: parsed(raw) };
}

function parsed(raw: string): unknown {
  try {
    return JSON.parse(raw);
  } catch {
    return undefined;
  }
}

function send(outgoing: ServerResponse, { status = 200, headers = {}, body }: Reply): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const type = text === undefined ? {} : { 'content-type': 'application/json; charset=utf-8' };
  outgoing.writeHead(status, { ...type, ...headers });
  outgoing.end(text);
}
