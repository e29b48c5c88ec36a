import type { IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { freePort, listen } from './listen.ts';

/** One request as received. `path` is raw: percent-encoded, without the query. */
export interface Recorded {
  method: string;
  /** The path with its query. */
  url: string;
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

/** `cut`: the connection ends without an answer. `silence`: it stays open without one. */
type Replied = Reply | 'cut' | 'silence';
export type Replying = (request: Recorded, index: number) => Replied | Promise<Replied>;

export type Recorder = Awaited<ReturnType<typeof startRecorder>>;

/** Starts a plain HTTP server on a free port that records every request and does not know the API. It closes with the test. */
export async function startRecorder(reply: Reply | Replying, port?: number) {
  const requests: Recorded[] = [];
  const { url } = await listen(async (incoming, outgoing) => {
    const { method = '', url = '', headers } = incoming;
    const raw = await text(incoming);
    const [path = '', search = ''] = url.split('?', 2);
    const request = { method, url, path, query: [...new URLSearchParams(search)], headers, raw, body: parsed(raw) };
    const index = requests.push(request) - 1;
    const replied = typeof reply === 'function' ? await reply(request, index) : reply;
    if (replied === 'cut') return void outgoing.destroy();
    if (replied === 'silence') return;
    const { status = 200, headers: own = {}, body } = replied;
    const sent = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
    const type = sent === undefined ? {} : { 'content-type': 'application/json; charset=utf-8' };
    outgoing.writeHead(status, { ...type, ...own }).end(sent);
  }, port);
  return { url, requests };
}

function parsed(raw: string): unknown {
  try {
    return JSON.parse(raw);
  } catch {
    return undefined;
  }
}

/** A webhook target; by default it accepts. */
export async function startReceiver(answer: Replying = () => ({ status: 204 })) {
  const { url, requests } = await startRecorder(answer);
  return { url: `${url}/hook`, deliveries: requests };
}

/** A URL where nothing listens. */
export async function closedUrl(): Promise<string> {
  return `http://127.0.0.1:${await freePort()}/hook`;
}
