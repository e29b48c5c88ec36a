import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { isLoopbackHost } from '../../shared/loopback.ts';

export interface AllowedHostsAndOrigins {
  /** Host headers that are answered, lower-case and with the port where it is not the scheme's own. */
  readonly hosts: readonly string[];
  /** Web origins that may call. */
  readonly origins: readonly string[];
}

export interface Forbidden {
  readonly status: 400 | 403;
  readonly message: string;
}

/** Names with the port, which is left out where it is the scheme's own. */
function withPort(names: readonly string[], port: number): string[] {
  return [...new Set(names)].flatMap((name) => [`${name}:${port}`, ...(port === 80 ? [name] : [])]);
}

/** How an address is written in a URL. */
function nameOf(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host.toLowerCase();
}

/** The Host headers of the address that is listened on. Several addresses at once have no name that could be guessed. */
export function allowedHostsFor(host: string, port: number): string[] {
  const loopback = isLoopbackHost(host) ? ['127.0.0.1', 'localhost', '[::1]'] : [];
  return withPort([nameOf(host), ...loopback], port);
}

/**
 * The origins of a page of this server's own, on this machine alone: no other page can name them, since browsers write
 * this header. Only the very address that is listened on: at the same port of another one somebody else may listen.
 * `localhost` is no address: a browser may find another program at `[::1]` by it.
 */
export function ownOrigins(address: string, port: number): string[] {
  if (!isLoopbackHost(address)) return [];
  return withPort([nameOf(address)], port).map((name) => `http://${name}`);
}

function allOf({ rawHeaders }: IncomingMessage, name: string): string[] {
  return rawHeaders.filter((_value, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name);
}

/**
 * Against pages that reach a local server through a name of their own (DNS rebinding): Host and Origin are compared as
 * they are, letter by letter, on every route. Specification 2025-11-25, "Transports", security warning.
 */
export function checkHostAndOrigin(
  { hosts, origins }: AllowedHostsAndOrigins,
  request: IncomingMessage,
): Forbidden | undefined {
  const [host, ...otherHosts] = allOf(request, 'host');
  if (host === undefined || otherHosts.length > 0) return { status: 400, message: 'There must be one Host header' };
  if (!hosts.includes(host)) {
    return { status: 403, message: 'This Host is not served here; ACADEMY_HTTP_ALLOWED_HOSTS lists those that are' };
  }
  const unlisted = allOf(request, 'origin').some((origin) => !origins.includes(origin));
  if (!unlisted) return undefined;
  return { status: 403, message: 'This Origin may not call; ACADEMY_HTTP_ALLOWED_ORIGINS lists those that may' };
}

/** What a browser needs to hear about an origin that may call. Fetch standard, "CORS protocol". */
export function crossOriginHeaders(request: IncomingMessage): Record<string, string> {
  const { origin } = request.headers;
  if (origin === undefined) return {};
  return {
    'access-control-allow-origin': origin,
    'access-control-expose-headers': 'mcp-session-id, www-authenticate, retry-after, x-request-id',
    vary: 'origin',
  };
}

/** The answer to a browser that asks before it calls. */
export const preflightHeaders = {
  'access-control-allow-methods': 'GET, POST, DELETE',
  'access-control-allow-headers':
    'authorization, content-type, accept, mcp-session-id, mcp-protocol-version, mcp-method, mcp-name, last-event-id',
  'access-control-max-age': '600',
};
