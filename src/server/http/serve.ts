import type { Logger } from 'pino';
import type { App } from '../../app.ts';
import type { Config } from '../../config/load.ts';
import { createConversations } from '../../mcp/confirmation/conversations.ts';
import { fullPrincipal, type Principal } from '../../mcp/principal.ts';
import { maxPendingBytes } from '../../protocol/input-limits.ts';
import type { LegacyHttp } from '../../protocol/legacy/http.ts';
import { SettingsError } from '../../shared/errors.ts';
import { createKeyedHash, hashSecretOf } from '../../shared/keyed-hash.ts';
import { isLoopbackHost } from '../../shared/loopback.ts';
import { waitForAll } from '../../shared/wait-for-all.ts';
import { createAuthentication } from './auth/authentication.ts';
import { metadataPaths } from './auth/resource-metadata.ts';
import { createCallerLimits } from './caller-limits.ts';
import { type AllowedHostsAndOrigins, allowedHostsFor, ownOrigins } from './host-and-origin.ts';
import { type Listener, startListener } from './listener.ts';
import { createEndpoint } from './mcp-endpoint.ts';
import { createMetricsRoute } from './metrics-route.ts';
import type { Prometheus } from './prometheus.ts';
import { createRouter, type Readiness } from './routes.ts';

export interface HttpOptions {
  app: App;
  config: Config;
  log: Logger;
  prometheus: Prometheus;
  host: string;
  port: number;
  stateless: boolean;
  /** Factor of the times that a request may take to arrive: 1, or less in a test that cannot wait. */
  pace?: number;
}

export interface HttpServer {
  readonly url: string;
  readonly port: number;
  /** Lets go in good order: takes nothing new, lets running calls end, then closes. */
  drain(): Promise<void>;
}

/** How long reads may go on when the program is to end, and how long writes that were sent, in milliseconds. */
const readsEnd = 5_000;
const writesEnd = 20_000;

/** A server that others can reach lets nobody in unasked, and knows by what name it is called. */
function requireSafeExposure(host: string, config: Config): void {
  if (isLoopbackHost(host)) return;
  if (config.httpTokens.length === 0 && config.oauthIssuer === undefined) {
    throw new SettingsError(
      `--host ${host} can be reached from other machines, so clients must show who they are`,
      'Set ACADEMY_HTTP_TOKENS, or ACADEMY_OAUTH_ISSUER and ACADEMY_OAUTH_AUDIENCE.',
    );
  }
  const isEvery = host === '0.0.0.0' || host === '::';
  if (isEvery && config.httpAllowedHosts === undefined) {
    throw new SettingsError(
      `--host ${host} has no name of its own`,
      'Set ACADEMY_HTTP_ALLOWED_HOSTS to the names by which clients call it, such as mcp.example.com.',
    );
  }
}

function allowedHostsAndOrigins(
  { httpAllowedHosts, httpAllowedOrigins }: Config,
  host: string,
  { address, port }: Listener,
): AllowedHostsAndOrigins {
  const origins = [...httpAllowedOrigins, ...ownOrigins(address, port)];
  return { hosts: httpAllowedHosts ?? allowedHostsFor(host, port), origins };
}

/** The two eras of one endpoint. Sessions are the old one's; without them a caller has one conversation. */
function createEras({ app, log, stateless }: HttpOptions) {
  const conversations = createConversations();
  const statelessServiceFor = (principal: Principal) => app.serviceFor(principal, conversations.of(principal.caller));
  const serviceFor = (principal: Principal) => app.serviceFor(principal, { hasUserContent: false });
  // The name alone: the message may quote what the client sent.
  const onerror = (error: Error) => log.info({ error: error.name }, 'a message could not be handled');
  let legacyHttp: LegacyHttp | undefined;
  const endpoint = createEndpoint({
    legacy: async () => {
      const { createLegacyHttp } = await import('../../protocol/legacy/http.ts');
      legacyHttp = createLegacyHttp({ serviceFor, statelessServiceFor, stateless, onerror });
      return legacyHttp;
    },
    modern: async () => (await import('../../protocol/modern/http.ts')).createModernHttp(statelessServiceFor, onerror),
  });
  return { endpoint, sessions: () => legacyHttp?.sessions() ?? 0 };
}

/** What waits for a turn is told that nothing was sent; what has been sent is waited for. */
async function endCalls(app: App): Promise<void> {
  const closed = app.close();
  await waitForAll(app.running, readsEnd);
  app.api.endReads();
  await waitForAll(new Set([...app.running, closed]), writesEnd);
}

function authenticationOf(config: Config, log: Logger) {
  const { httpTokens: tokens, oauthIssuer: issuer, oauthAudience: audience } = config;
  const oauth = issuer === undefined || audience === undefined ? undefined : { issuer, audience };
  return createAuthentication({ tokens, oauth, hash: createKeyedHash(hashSecretOf(config), 'caller'), log });
}

/** Serves MCP over Streamable HTTP at /mcp. Rejects with `SettingsError` where that would be unsafe. */
export async function serveHttp(options: HttpOptions): Promise<HttpServer> {
  const { app, config, log, host, port, prometheus } = options;
  requireSafeExposure(host, config);
  const { endpoint, sessions } = createEras(options);
  prometheus.watchSessions(sessions);
  let isDraining = false;
  const readiness = (): Readiness => {
    if (isDraining) return { ready: false, reason: 'ending' };
    const problem = app.api.problem();
    return problem === undefined ? { ready: true } : { ready: false, reason: problem };
  };
  const listener = await startListener({
    host,
    port,
    log,
    pace: options.pace,
    handle: (request, response) => router(request, response),
  });
  const router = createRouter({
    allowed: allowedHostsAndOrigins(config, host, listener),
    authentication: authenticationOf(config, log),
    anonymous: fullPrincipal('local'),
    limits: createCallerLimits({
      perMinute: config.httpRateLimit,
      maxInFlight: config.httpMaxInFlight,
      maxBytes: maxPendingBytes,
    }),
    readiness,
    metrics: createMetricsRoute(prometheus, config.metricsToken),
    metadataPaths: config.oauthAudience === undefined ? [] : metadataPaths(config.oauthAudience),
    mcp: endpoint.serve,
  });
  const name = host.includes(':') ? `[${host}]` : host;
  return {
    url: `http://${name}:${listener.port}/mcp`,
    port: listener.port,
    drain: async () => {
      isDraining = true;
      listener.stopListening();
      await endCalls(app);
      await endpoint.close();
      listener.cut();
    },
  };
}
