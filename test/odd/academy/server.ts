import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Call, failure, isWrite, notFound, type Reply } from './call.ts';
import { makeState } from './data.ts';
import { routeOf } from './routes.ts';
import type { Academy, Rules } from './rules.ts';
import type { Json } from './state.ts';

/** This many requests for one answer are an endless loop: after that, everything is refused. */
export const maxRequestsAllowed = 3_000;

export interface OddAcademy extends Academy {
  readonly url: string;
  readonly key: string;
  /** Does the delayed writes. */
  settle(): void;
  close(): Promise<void>;
}

function readBody(text: string, type: string): Json {
  if (text === '') return {};
  if (type.includes('urlencoded')) return Object.fromEntries(new URLSearchParams(text));
  const parsed: unknown = JSON.parse(text);
  return typeof parsed === 'object' && parsed !== null ? { ...parsed } : {};
}

async function readCall(request: IncomingMessage): Promise<Call> {
  const { method = 'GET', url = '/' } = request;
  const { pathname: path, searchParams } = new URL(url, 'http://localhost');
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  const body = readBody(Buffer.concat(chunks).toString('utf8'), request.headers['content-type'] ?? '');
  const found = routeOf(method, path);
  const query = Object.fromEntries(searchParams);
  return { method, path, route: found?.route.name ?? '', ids: found?.ids ?? [], query, body };
}

/** The answer of the handler, after the effect of a write was done, delayed or dropped. */
function handled(call: Call, academy: Academy): Reply {
  const found = routeOf(call.method, call.path);
  if (found === undefined) return failure(404, 'endpoint_not_available', 'Endpoint not available');
  const given = found.route.handler(call, academy);
  if (!isWrite(given)) return given;
  const modes = academy.rules.flatMap(({ effect }) => effect?.(call, academy) ?? []);
  if (modes.includes('late')) academy.late.push(given.effect);
  else if (!modes.includes('dropped')) given.effect();
  return given.answer();
}

export function answerOf(call: Call, academy: Academy): Reply {
  for (const rules of academy.rules) {
    const early = rules.before?.(call, academy);
    if (early !== undefined) return early;
  }
  for (const rules of academy.rules) rules.question?.(call, academy);
  return academy.rules.reduce((reply, rules) => rules.after?.(reply, call, academy) ?? reply, handled(call, academy));
}

function send(response: ServerResponse, { status, headers, body, raw, cutAfter }: Reply, now: number): void {
  const content = raw ?? (body === undefined ? '' : JSON.stringify(body));
  const common = { date: new Date(now).toUTCString(), 'x-request-id': 'req-odd', 'x-api-version': 'v1' };
  const type = { 'content-type': 'application/json; charset=utf-8' };
  const length = { 'content-length': String(Buffer.byteLength(content)) };
  response.writeHead(status, { ...common, ...type, ...length, ...headers });
  if (cutAfter === undefined) return void response.end(content);
  response.write(Buffer.from(content).subarray(0, cutAfter), () => response.destroy());
}

const reads = /\/completion-percentage$/;

/** An academy with some switches on, at a free port of this machine. */
export async function startOddAcademy(rules: readonly Rules[]): Promise<OddAcademy> {
  const started = Date.now();
  const ahead = rules.reduce((sum, { clockMs = 0 }) => sum + clockMs, 0);
  const state = makeState(started + ahead);
  for (const { seed } of rules) seed?.(state, started + ahead);
  const academy: Academy = { state, rules, now: () => Date.now() + ahead, log: [], late: [] };
  const key = 'odd-key';
  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const call = await readCall(request);
    const { method, path, route, body } = call;
    const entry = { method, path, route, body, writes: method !== 'GET' && !reads.test(path), ageMs: 0 };
    academy.log.push(entry);
    const isKnown = request.headers.authorization?.endsWith(key) === true;
    if (academy.log.length > maxRequestsAllowed) return void response.destroy();
    const reply = isKnown ? answerOf(call, academy) : failure(401, 'unauthorized', 'API token missing or invalid');
    entry.ageMs = Number(reply.headers.age ?? 0) * 1000 || 0;
    send(response, reply, academy.now());
  }
  const server = createServer((request, response) => {
    serve(request, response).catch(() => send(response, notFound(), academy.now()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    ...academy,
    url: `http://127.0.0.1:${port}`,
    key,
    settle: () => {
      for (const effect of academy.late.splice(0)) effect();
    },
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
