import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { connect, type ProgramOptions, unlimited } from '../../support/connect.ts';
import { listen } from '../../support/listen.ts';
import { makeState } from './data.ts';
import { contentHandlers } from './handlers/content.ts';
import { studentHandlers } from './handlers/students.ts';
import {
  type Academy,
  type Call,
  failure,
  type Handler,
  isWrite,
  notFound,
  ok,
  type Reply,
  type Rules,
} from './rules.ts';
import { iso, type Json } from './state.ts';

const account: Handler = (_call, { now }) => {
  const facts = {
    subdomain: 'odd',
    app_name: 'Odd Academy',
    currency: 'USD',
    locale: 'en',
    subscription_plan: 'standard',
  };
  return ok({ account: { ...facts, server_time: iso(now()) }, capabilities: { admin_api: true }, webhook_events: [] });
};

const handlers = { 'account.get GET /account': account, ...contentHandlers, ...studentHandlers };

const routes = Object.entries(handlers).map(([key, handler]) => {
  const [name = '', method = '', path = ''] = key.split(' ');
  const methods = method === 'PATCH' ? ['PATCH', 'PUT'] : [method];
  return { name, methods, pattern: new RegExp(`^/api/v1${path.replaceAll(/:\w+/g, '([^/]+)')}$`), handler };
});

function routeOf(method: string, path: string): Pick<Call, 'route' | 'ids'> {
  for (const { name, methods, pattern } of routes) {
    const match = methods.includes(method) ? pattern.exec(path) : null;
    if (match !== null) return { route: name, ids: match.slice(1).map(decodeURIComponent) };
  }
  return { route: '', ids: [] };
}

/** This many requests for one answer are an endless loop: after that, everything is refused. */
export const maxRequestsAllowed = 3_000;

function readBody(sent: string, type: string): Json {
  if (sent === '') return {};
  if (type.includes('urlencoded')) return Object.fromEntries(new URLSearchParams(sent));
  const parsed: unknown = JSON.parse(sent);
  return typeof parsed === 'object' && parsed !== null ? { ...parsed } : {};
}

async function readCall(request: IncomingMessage): Promise<Call> {
  const { method = 'GET', url = '/' } = request;
  const { pathname: path, searchParams } = new URL(url, 'http://localhost');
  const body = readBody(await text(request), request.headers['content-type'] ?? '');
  return { method, path, ...routeOf(method, path), query: Object.fromEntries(searchParams), body };
}

function handled(call: Call, academy: Academy): Reply {
  const handler = routes.find(({ name }) => name === call.route)?.handler;
  if (handler === undefined) return failure(404, 'endpoint_not_available', 'Endpoint not available');
  const given = handler(call, academy);
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

export type OddAcademy = Awaited<ReturnType<typeof startOddAcademy>>;

export async function startOddAcademy(rules: readonly Rules[]) {
  const ahead = rules.reduce((sum, { clockMs = 0 }) => sum + clockMs, 0);
  const now = () => Date.now() + ahead;
  const state = makeState(now());
  for (const { seed } of rules) seed?.(state, now());
  const academy: Academy = { state, rules, now, log: [], late: [] };
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
    send(response, reply, now());
  }
  const { url } = await listen((request, response) => {
    serve(request, response).catch(() => send(response, notFound(), now()));
  });
  const settle = () => {
    for (const effect of academy.late.splice(0)) effect();
  };
  return { ...academy, url, key, settle };
}

/** That academy, and a client of the program. */
export async function startOdd(
  rules: readonly Rules[],
  { settings = {}, ...options }: ProgramOptions & { settings?: Record<string, string> } = {},
) {
  const academy = await startOddAcademy(rules);
  const environment = unlimited(academy.url, academy.key, { LOG_LEVEL: 'silent', ...settings });
  const { call } = await connect(environment, { pace: 0.01, ...options });
  return { academy, call };
}
