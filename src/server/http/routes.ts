import type { IncomingMessage, ServerResponse } from 'node:http';
import { fullPrincipal } from '../../mcp/principal.ts';
import { type AcceptedRequest, HttpRefusal, onClosed, sendEmpty, sendJson } from '../../protocol/http-response.ts';
import type { Authentication } from './auth/authentication.ts';
import type { CallerLimits } from './caller-limits.ts';
import {
  type AllowedHostsAndOrigins,
  checkHostAndOrigin,
  crossOriginHeaders,
  preflightHeaders,
  publicHeaders,
} from './host-and-origin.ts';
import type { RequestFacts } from './listener.ts';

export interface RouteOptions {
  allowed: AllowedHostsAndOrigins;
  authentication: Authentication;
  limits: CallerLimits;
  /** The answer of GET /readyz. */
  readiness(): { readonly ready: boolean };
  /** Answers GET /metrics, and refuses callers without permission. */
  metrics: Handler;
  mcp(accepted: AcceptedRequest, facts: RequestFacts): Promise<void>;
  /** By path. */
  publicDocuments: ReadonlyMap<string, Handler>;
  /** The route of a webhook address; undefined for any other path. */
  webhooks(path: string, request: IncomingMessage): Route | undefined;
}

export type Handler = (request: IncomingMessage, response: ServerResponse, facts: RequestFacts) => void | Promise<void>;

export interface Route {
  /** The path for the log, if the path itself has a secret. */
  readonly label?: string;
  readonly methods: readonly string[];
  readonly handle: Handler;
  /** Behind any Host, since probes send any address. Only for an answer that is the same for everybody. */
  readonly forProbes?: true;
  /** Answers pages of any origin. Only for what everybody may read. */
  readonly isPublic?: true;
}

/** The caller of every request if callers need no token. */
const anonymous = fullPrincipal('local');

type GivenRequest = Pick<AcceptedRequest, 'request' | 'response' | 'principal'>;

/** The path without query and fragment; undefined for a target that is not a path, such as `*` or a full URL. */
function pathOf({ url = '' }: IncomingMessage): string | undefined {
  return url.startsWith('/') ? url.split(/[?#]/, 1)[0] : undefined;
}

/** Counts the request against its caller until every call has settled, even if the client disconnects before. */
async function withinLimits({ limits, mcp }: RouteOptions, received: GivenRequest, facts: RequestFacts): Promise<void> {
  const { request, response, principal } = received;
  const { addRequests, addBytes, release } = limits.usageOf(principal.caller);
  const calls: Promise<unknown>[] = [];
  try {
    await addRequests(1);
    const trackCall = (call: Promise<unknown>) => void calls.push(call);
    await mcp({ addRequests, addBytes, trackCall, ...received }, facts);
    // A GET opens a stream, which stays open for hours and makes no request.
    if (request.method !== 'GET') await new Promise<void>((resolve) => onClosed(response, resolve));
  } finally {
    void Promise.allSettled(calls).then(release);
  }
}

function routesOf(options: RouteOptions): Map<string, Route> {
  const { authentication, readiness, metrics, publicDocuments } = options;
  const mcp: Handler = async (request, response, facts) => {
    const principal = (await authentication?.identify(request.headers.authorization, facts)) ?? anonymous;
    facts.caller = principal.caller;
    // The client may have disconnected while the token was checked.
    if (!response.destroyed) await withinLimits(options, { request, response, principal }, facts);
  };
  const alive: Handler = (_request, response) => sendJson(response, 200, { status: 'ok' });
  const ready: Handler = (_request, response) => {
    const state = readiness();
    sendJson(response, state.ready ? 200 : 503, state);
  };
  const routes = new Map<string, Route>([
    ['/mcp', { methods: ['GET', 'POST', 'DELETE'], handle: mcp }],
    ['/healthz', { methods: ['GET', 'HEAD'], handle: alive, forProbes: true }],
    ['/readyz', { methods: ['GET'], handle: ready }],
    ['/metrics', { methods: ['GET'], handle: metrics }],
  ]);
  const metadata = authentication?.resourceMetadata;
  const handle: Handler = (_request, response) => sendJson(response, 200, metadata?.read() ?? {});
  for (const path of metadata?.paths ?? []) routes.set(path, { methods: ['GET'], handle });
  for (const [path, handle] of publicDocuments) routes.set(path, { methods: ['GET', 'HEAD'], handle, isPublic: true });
  return routes;
}

/** Checks that a request does not have to pass. */
function exemptionFor({ forProbes, isPublic, methods }: Route, { method = '' }: IncomingMessage) {
  const isServed = methods.includes(method);
  const anyOrigin = isPublic === true && (isServed || method === 'OPTIONS');
  return { anyHost: forProbes === true && isServed, anyOrigin };
}

/** Handles a request from the first check to the answer. Host and Origin are checked first, for every path and method. */
export function createRouter(options: RouteOptions): Handler {
  const routes = routesOf(options);
  return async (request, response, facts) => {
    const path = pathOf(request) ?? '';
    const route = routes.get(path) ?? options.webhooks(path, request);
    if (route !== undefined) facts.path = route.label ?? path;
    checkHostAndOrigin(options.allowed, request, route && exemptionFor(route, request));
    // RFC 9110, section 10.1.1, defines one expectation, which Node fulfils.
    const { expect = '100-continue' } = request.headers;
    if (expect.toLowerCase() !== '100-continue') throw new HttpRefusal(417, 'Expect must be 100-continue');
    const cors = route?.isPublic ? publicHeaders : crossOriginHeaders(request);
    for (const [name, value] of Object.entries(cors)) response.setHeader(name, value);
    if (route === undefined) throw new HttpRefusal(404, 'Not found. The MCP endpoint is /mcp.');
    const isPreflight = request.method === 'OPTIONS' && request.headers.origin !== undefined;
    if (isPreflight) return sendEmpty(response, 204, route.isPublic ? {} : preflightHeaders);
    if (route.methods.includes(request.method ?? '')) return await route.handle(request, response, facts);
    throw new HttpRefusal(405, 'Method not allowed', { allow: route.methods.join(', ') });
  };
}
