import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { HttpRefusal } from '../../protocol/http-response.ts';
import { isLoopbackHost } from '../../shared/loopback.ts';

export interface AllowedHostsAndOrigins {
  /** Allowed Host headers, in lower case, with the port unless it is the default of the scheme. */
  readonly hosts: readonly string[];
  readonly origins: readonly string[];
}

/** Adds the port to names. With port 80 the name alone is valid as well. */
function withPort(names: readonly string[], port: number): string[] {
  return [...new Set(names)].flatMap((name) => [`${name}:${port}`, ...(port === 80 ? [name] : [])]);
}

function hostName(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host.toLowerCase();
}

/** The default Host headers: the names of the address that the server listens on. */
export function allowedHostsFor(host: string, port: number): string[] {
  const loopback = isLoopbackHost(host) ? ['127.0.0.1', 'localhost', '[::1]'] : [];
  return withPort([hostName(host), ...loopback], port);
}

/** Browsers write Origin, so no page can claim it. Not `localhost`: it may lead to another program on `[::1]`. */
export function ownOrigins(address: string, port: number): string[] {
  if (!isLoopbackHost(address)) return [];
  return withPort([hostName(address)], port).map((name) => `http://${name}`);
}

function allOf({ rawHeaders }: IncomingMessage, name: string): string[] {
  return rawHeaders.filter((_value, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name);
}

/** Against DNS rebinding, by which a page reaches a local server by its own host name. Throws `HttpRefusal`. */
export function checkHostAndOrigin(
  { hosts, origins }: AllowedHostsAndOrigins,
  request: IncomingMessage,
  { anyHost = false, anyOrigin = false } = {},
): void {
  const [host, ...otherHosts] = allOf(request, 'host');
  if (host === undefined || otherHosts.length > 0)
    throw new HttpRefusal(400, 'The request must have exactly one Host header');
  if (!anyHost && !hosts.includes(host))
    throw new HttpRefusal(403, 'Host not allowed. Add it to ACADEMY_HTTP_ALLOWED_HOSTS.');
  const unlisted = allOf(request, 'origin').some((origin) => !origins.includes(origin));
  if (unlisted && !anyOrigin) throw new HttpRefusal(403, 'Origin not allowed. Add it to ACADEMY_HTTP_ALLOWED_ORIGINS.');
}

/** CORS headers for a browser on an allowed origin. Fetch standard, "CORS protocol". */
export function crossOriginHeaders(request: IncomingMessage): Record<string, string> {
  const { origin } = request.headers;
  if (origin === undefined) return {};
  return {
    'access-control-allow-origin': origin,
    'access-control-expose-headers': 'mcp-session-id, www-authenticate, retry-after, x-request-id',
    vary: 'origin',
  };
}

/** CORS headers of a public document, which pages of any origin can read. SEP-2127, "CORS requirements". */
export const publicHeaders = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET',
  'access-control-allow-headers': 'Content-Type, If-None-Match',
  'access-control-expose-headers': 'ETag',
};

export const preflightHeaders = {
  'access-control-allow-methods': 'GET, POST, DELETE',
  'access-control-allow-headers':
    'authorization, content-type, accept, mcp-session-id, mcp-protocol-version, mcp-method, mcp-name, last-event-id',
  'access-control-max-age': '600',
};
