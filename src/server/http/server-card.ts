import type { IncomingMessage, ServerResponse } from 'node:http';
import { sendText } from '../../protocol/http-response.ts';
import { supportedVersions } from '../../protocol/message.ts';
import { version } from '../../version.ts';
import { webAddress } from './auth/authentication.ts';
import type { Handler, RouteOptions } from './routes.ts';

// SEP-2127 and github.com/Agent-Card/ai-catalog: how a client or registry finds this server before it connects.

interface CardOptions {
  name: string;
  /** The audience of OAuth, which is the server's own address; undefined without OAuth. */
  audience: string | undefined;
  /** Whether callers can use a bearer token that the operator made. */
  hasTokens: boolean;
}

const cardType = 'application/mcp-server-card+json';
const schema = 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json';
const product = 'academy-mcp';
const description = 'Lets an AI assistant run an online academy through the Learning Platform Admin API.';

/** Without OAuth the address that the client used. Host is checked before; a proxy tells TLS by X-Forwarded-Proto. */
function endpointFor({ headers }: IncomingMessage, audience: string | undefined): URL {
  const own = audience === undefined ? undefined : webAddress(audience);
  if (own?.pathname.endsWith('/mcp')) return new URL(own.origin + own.pathname);
  const forwarded = String(headers['x-forwarded-proto']).split(',', 1)[0]?.trim();
  return new URL('/mcp', own?.origin ?? `${forwarded === 'https' ? 'https' : 'http'}://${headers.host}`);
}

/** A host name with what URNs and names of servers allow. */
function plainHost({ hostname }: URL): string {
  return hostname.replaceAll(/[^a-zA-Z0-9.-]/g, '-');
}

/** `mcp.example.com` becomes `com.example.mcp`. An address of digits keeps its order. */
function reversed(host: string): string {
  return /[a-z]/i.test(host) ? host.split('.').reverse().join('.') : host;
}

const tokenHeader = {
  name: 'Authorization',
  description: 'A token from the operator of this server',
  value: 'Bearer {token}',
  isRequired: true,
  isSecret: true,
  variables: { token: { description: 'Your token', isRequired: true, isSecret: true } },
};

function cardFor(endpoint: URL, { name, audience, hasTokens }: CardOptions): object {
  // With OAuth, a client asks for a token when it gets a 401.
  const headers = hasTokens && audience === undefined ? { headers: [tokenHeader] } : {};
  return {
    $schema: schema,
    name: `${reversed(plainHost(endpoint))}/${product}`,
    version,
    title: name,
    description,
    remotes: [
      { type: 'streamable-http', url: endpoint.href, supportedProtocolVersions: supportedVersions, ...headers },
    ],
  };
}

function catalogFor(endpoint: URL): object {
  const identifier = `urn:air:${plainHost(endpoint)}:mcp:${product}`;
  return { specVersion: '1.0', entries: [{ identifier, type: cardType, url: `${endpoint.href}/server-card` }] };
}

function sendDocument(response: ServerResponse, type: string, body: object): void {
  const headers = { 'content-type': type, 'cache-control': 'public, max-age=3600', vary: 'x-forwarded-proto' };
  sendText(response, 200, JSON.stringify(body), headers);
}

/** `/.well-known/mcp/catalog.json` is the path of earlier drafts, with the media type that they required. */
export function createPublicDocuments(options: CardOptions): RouteOptions['publicDocuments'] {
  const document =
    (type: string, bodyFor: (endpoint: URL) => object): Handler =>
    (request, response) =>
      sendDocument(response, type, bodyFor(endpointFor(request, options.audience)));
  return new Map([
    ['/mcp/server-card', document(cardType, (endpoint) => cardFor(endpoint, options))],
    ['/.well-known/ai-catalog.json', document('application/ai-catalog+json', catalogFor)],
    ['/.well-known/mcp/catalog.json', document('application/json', catalogFor)],
  ]);
}
