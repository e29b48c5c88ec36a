import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Principal } from '../../mcp/principal.ts';
import type { AcceptedRequest } from '../../protocol/http-request.ts';
import { type Headers, onClosed, sendEmpty, sendError, sendJson } from '../../protocol/http-response.ts';
import { type Authentication, isRefusal } from './auth/authentication.ts';
import type { CallerLimits } from './caller-limits.ts';
import {
  type AllowedHostsAndOrigins,
  checkHostAndOrigin,
  crossOriginHeaders,
  preflightHeaders,
} from './host-and-origin.ts';

/** Whether the server should get requests; why not, where it should not. */
export type Readiness = { ready: true } | { ready: false; reason: string };

export interface RouteOptions {
  allowed: AllowedHostsAndOrigins;
  /** Undefined where nobody needs to show who they are. */
  authentication: Authentication | undefined;
  /** Who calls where nobody needs to show it. */
  anonymous: Principal;
  limits: CallerLimits;
  readiness(): Readiness;
  /** Answers GET /metrics to those who may read it. */
  metrics(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** Where the protected resource metadata of RFC 9728 stands. */
  metadataPaths: readonly string[];
  mcp(accepted: AcceptedRequest): Promise<void>;
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

interface Route {
  readonly methods: readonly string[];
  readonly handle: Handler;
}

/** The path alone. A target that is no path of ours has none: `*`, or a whole address. */
function pathOf({ url = '' }: IncomingMessage): string | undefined {
  return url.startsWith('/') ? url.split(/[?#]/, 1)[0] : undefined;
}

/** Who calls; answers for itself where they may not enter. */
async function authenticate(
  { authentication, anonymous }: RouteOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Principal | undefined> {
  if (authentication === undefined) return anonymous;
  const found = await authentication.identify(request.headers.authorization);
  if (!isRefusal(found)) return found;
  const headers: Headers = found.challenge === undefined ? {} : { 'www-authenticate': found.challenge };
  sendError(response, found.status, found.message, headers);
  return undefined;
}

/** A place is kept until all that was asked has ended, even where the one who asked has left. */
async function withinLimits(
  { limits, mcp }: RouteOptions,
  request: IncomingMessage,
  response: ServerResponse,
  principal: Principal,
): Promise<void> {
  const usage = limits.usageOf(principal.caller);
  const calls: Promise<unknown>[] = [];
  const addRequests = async (count: number) => {
    const wait = await usage.addRequests(count);
    if (wait === undefined) return true;
    const message = `Too many requests of this caller; try again in ${wait} s`;
    sendError(response, 429, message, { 'retry-after': String(wait) });
    return false;
  };
  try {
    if (!(await addRequests(1))) return;
    await mcp({
      request,
      response,
      principal,
      addRequests,
      addBytes: usage.addBytes,
      trackCall: (call) => void calls.push(call),
    });
    // A stream stays open for hours, and asks nothing.
    if (request.method !== 'GET') await new Promise<void>((resolve) => onClosed(response, resolve));
  } finally {
    void Promise.allSettled(calls).then(usage.release);
  }
}

function routesOf(options: RouteOptions): Map<string, Route> {
  const { authentication, readiness, metrics, metadataPaths } = options;
  const mcp: Handler = async (request, response) => {
    const principal = await authenticate(options, request, response);
    // Whoever left while the token was checked wants no answer any more.
    if (principal !== undefined && !response.destroyed) await withinLimits(options, request, response, principal);
  };
  const routes = new Map<string, Route>([
    ['/mcp', { methods: ['GET', 'POST', 'DELETE'], handle: mcp }],
    ['/healthz', { methods: ['GET'], handle: (_request, response) => sendJson(response, 200, { status: 'ok' }) }],
    [
      '/readyz',
      {
        methods: ['GET'],
        handle: (_request, response) => {
          const state = readiness();
          sendJson(response, state.ready ? 200 : 503, state);
        },
      },
    ],
    ['/metrics', { methods: ['GET'], handle: metrics }],
  ]);
  const metadata = authentication?.resourceMetadata;
  if (metadata !== undefined) {
    const handle: Handler = (_request, response) => sendJson(response, 200, metadata);
    for (const path of metadataPaths) routes.set(path, { methods: ['GET'], handle });
  }
  return routes;
}

/** RFC 9110, section 10.1.1: there is one expectation, which Node meets. */
function isExpected({ headers: { expect = '100-continue' } }: IncomingMessage): boolean {
  return expect.toLowerCase() === '100-continue';
}

/** Takes one request from its first guard to its answer. Host and Origin come first, whatever is asked. */
export function createRouter(options: RouteOptions): Handler {
  const routes = routesOf(options);
  return async (request, response) => {
    const forbidden = checkHostAndOrigin(options.allowed, request);
    if (forbidden !== undefined) return sendError(response, forbidden.status, forbidden.message);
    if (!isExpected(request)) return sendError(response, 417, 'Expect may be 100-continue alone');
    for (const [name, value] of Object.entries(crossOriginHeaders(request))) response.setHeader(name, value);
    const route = routes.get(pathOf(request) ?? '');
    if (route === undefined) return sendError(response, 404, 'There is nothing at this address; the server is at /mcp');
    const isPreflight = request.method === 'OPTIONS' && request.headers.origin !== undefined;
    if (isPreflight) return sendEmpty(response, 204, preflightHeaders);
    if (route.methods.includes(request.method ?? '')) return await route.handle(request, response);
    sendError(response, 405, 'This method is not served here', { allow: route.methods.join(', ') });
  };
}
