import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { setImmediate as nextImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Accounts } from '../../accounts/load-accounts.ts';
import type { App } from '../../app.ts';
import type { Config } from '../../config/load.ts';
import { createConversations } from '../../mcp/confirmation/conversations.ts';
import { type Principal, scopesWith } from '../../mcp/principal.ts';
import { HttpRefusal, sendText } from '../../protocol/http-response.ts';
import type { LegacyHttp } from '../../protocol/legacy/http.ts';
import { maxPendingBytes } from '../../protocol/message.ts';
import { SettingsError } from '../../shared/errors.ts';
import { createKeyedHash, hashSecretOf, sha256 } from '../../shared/keyed-hash.ts';
import { isLoopback, isLoopbackHost } from '../../shared/loopback.ts';
import type { SharedStore } from '../../shared/shared-store.ts';
import { waitForAll } from '../../shared/shutdown.ts';
import { createAuthentication } from './auth/authentication.ts';
import { createIssuer } from './auth/issuer.ts';
import { createCallerLimits } from './caller-limits.ts';
import { allowedHostsFor, ownOrigins } from './host-and-origin.ts';
import { startListener } from './listener.ts';
import { createEndpoint } from './mcp-endpoint.ts';
import type { Prometheus } from './prometheus.ts';
import { createRouter, type Handler } from './routes.ts';
import { createPublicDocuments } from './server-card.ts';
import { createWebhookRoutes, type WebhookAccount } from './webhook-routes.ts';

/** Headers that proxies add. A proxy that adds none of them and keeps Host cannot be recognised. */
const ofProxies = /^(forwarded|via|x-real-ip|x-forwarded-.+)$/;

/** Whether the caller is on this machine and connects directly. Behind a proxy every caller seems to be on this machine. */
function isLocal({ socket, headers }: IncomingMessage): boolean {
  if (Object.keys(headers).some((name) => ofProxies.test(name))) return false;
  const requested = `http://${headers.host ?? ''}`;
  if (!URL.canParse(requested)) return false;
  const url = new URL(requested);
  const isDirect = isLoopback(url) && Number(url.port || 80) === socket.localPort;
  // On an IPv6 socket an IPv4 address has a prefix.
  return isDirect && isLoopbackHost((socket.remoteAddress ?? '').replace(/^::ffff:/, ''));
}

/** GET /metrics: for callers with its token or, if no token is set, for this machine only. */
function createMetricsRoute(prometheus: Pick<Prometheus, 'text' | 'contentType'>, token: string | undefined): Handler {
  const expected = token === undefined ? undefined : sha256(`Bearer ${token}`);
  return async (request, response) => {
    const { authorization = '' } = request.headers;
    if (expected !== undefined && !timingSafeEqual(sha256(authorization), expected)) {
      const headers = { 'www-authenticate': 'Bearer realm="metrics"' };
      throw new HttpRefusal(401, 'The bearer token of ACADEMY_METRICS_TOKEN is required', headers);
    }
    if (expected === undefined && !isLocal(request)) {
      const how = 'Set ACADEMY_METRICS_TOKEN to allow other callers.';
      throw new HttpRefusal(403, `Metrics are available only on this machine. ${how}`);
    }
    sendText(response, 200, await prometheus.text(), { 'content-type': prometheus.contentType });
  };
}

export interface HttpOptions {
  app: App;
  config: Config;
  log: Logger;
  prometheus: Prometheus;
  host: string;
  port: number;
  stateless: boolean;
  webhooks?: readonly WebhookAccount[];
  /** Undefined without an accounts file: then every token opens the only account. */
  accounts?: Accounts | undefined;
  /** Multiplies time limits and pauses towards clients and the OAuth issuer: 1, or less in tests. */
  pace?: number;
}

/** Milliseconds that running reads, and then writes that were sent, get to finish at shutdown. */
const readGraceMs = 5_000;
const writeGraceMs = 20_000;

/** Closing a listener resets connections that wait to be accepted. After a short turn of the event loop there are none. */
async function untilAccepted(): Promise<void> {
  for (let turns = 0; turns < 100; turns += 1) {
    const start = performance.now();
    await nextImmediate();
    if (performance.now() - start < 1) return;
  }
}

/** A server that other machines can reach must require a token and know its host names. Throws `SettingsError` otherwise. */
function requireSafeExposure(host: string, config: Config): void {
  if (isLoopbackHost(host)) return;
  if (config.httpTokens.length === 0 && config.oauthIssuer === undefined) {
    throw new SettingsError(
      `the host ${host} can be reached from other machines, so clients must authenticate`,
      `${config.accountsFile === undefined ? 'Set ACADEMY_HTTP_TOKENS' : 'Add callers to the accounts file'}, or set ACADEMY_OAUTH_ISSUER and ACADEMY_OAUTH_AUDIENCE.`,
    );
  }
  const isWildcard = host === '0.0.0.0' || host === '::';
  if (isWildcard && config.httpAllowedHosts === undefined) {
    throw new SettingsError(
      `the host ${host} does not say which host names to accept`,
      'Set ACADEMY_HTTP_ALLOWED_HOSTS to the host names that clients use, such as mcp.example.com.',
    );
  }
}

function storeOf({ shared }: App, config: Config, name: string): SharedStore | undefined {
  return shared?.storeOf(name, hashSecretOf(config));
}

/** The two eras of the endpoint. Only the legacy era has sessions; without one, all calls of a caller are one conversation. */
function createEras({ app, config, log, stateless }: HttpOptions) {
  // Only lockdown depends on what a conversation has read.
  const conversationOf = createConversations(config.lockdown ? storeOf(app, config, 'conversations') : undefined);
  const serviceFor = (principal: Principal, session?: string) =>
    app.serviceFor(principal, conversationOf(principal.caller, session));
  // Only the name: the message may quote what the client sent.
  const onerror = (error: Error) => log.info({ error: error.name }, 'failed to handle a message');
  let legacyHttp: LegacyHttp | undefined;
  const endpoint = createEndpoint({
    tools: new Set(app.tools.map((tool) => tool.name)),
    legacy: async () => {
      const { createLegacyHttp } = await import('../../protocol/legacy/http.ts');
      const sessions = storeOf(app, config, 'sessions');
      legacyHttp = createLegacyHttp({ serviceFor, stateless, store: sessions, onerror });
      return legacyHttp;
    },
    modern: async () => {
      const { createModernHttp } = await import('../../protocol/modern/http.ts');
      return createModernHttp(serviceFor, onerror);
    },
  });
  return { endpoint, sessions: () => legacyHttp?.sessions() ?? 0 };
}

/** Queued calls end at once and report that nothing was sent. Calls that were sent get time to finish. */
async function endCalls(app: App): Promise<void> {
  const closed = app.close();
  await waitForAll(app.running, readGraceMs);
  app.endReads();
  await waitForAll(new Set([...app.running, closed]), writeGraceMs);
}

/** Starts to look for the OAuth issuer, and does not wait for it: other callers need not suffer from its outage. */
function startOAuth({ config, log, accounts, pace = 1 }: HttpOptions, signal: AbortSignal) {
  const { oauthIssuer: issuer, oauthAudience: audience, oauthScopeClaim: scopeClaim, mirror } = config;
  if (issuer === undefined || audience === undefined) return undefined;
  const source = createIssuer({ issuer, log, pace });
  void source.watch(signal);
  const accountClaim = accounts && { claim: accounts.oauthClaim, names: accounts.list.map(({ name }) => name) };
  return { issuer, audience, scopeClaim, scopes: scopesWith(mirror), source, accountClaim };
}

/** Calls work without events, so a full disk must not take the server out of service. */
function eventFacts({ webhooks = [] }: HttpOptions): { events?: string } {
  if (webhooks.length === 0) return {};
  const isFailing = webhooks.some(({ inbox }) => inbox.isFailing());
  return { events: isFailing ? 'cannot be stored, and the log says why' : 'received' };
}

/** Serves MCP over Streamable HTTP at /mcp. Rejects with `SettingsError` if the settings are unsafe. */
export async function serveHttp(options: HttpOptions) {
  const { app, config, log, host, port, prometheus } = options;
  requireSafeExposure(host, config);
  const { endpoint, sessions } = createEras(options);
  prometheus.watchSessions(sessions);
  if (app.shared !== undefined) prometheus.watchShared(app.shared.isUp);
  let isDraining = false;
  const stopped = new AbortController();
  const readiness = () => {
    if (isDraining) return { ready: false, reason: 'shutting down' };
    const problem = app.problem();
    if (problem !== undefined) return { ready: false, reason: problem };
    const redis = app.shared && { redis: app.shared.isUp() ? 'shared' : 'lost' };
    return { ready: true, ...redis, ...eventFacts(options) };
  };
  const handle: Handler = (request, response, facts) => router(request, response, facts);
  const listener = await startListener({ host, port, log, pace: options.pace, handle });
  const router = createRouter({
    allowed: {
      hosts: config.httpAllowedHosts ?? allowedHostsFor(host, listener.port),
      origins: [...config.httpAllowedOrigins, ...ownOrigins(listener.address, listener.port)],
    },
    authentication: createAuthentication({
      tokens: config.httpTokens,
      oauth: startOAuth(options, stopped.signal),
      hash: createKeyedHash(hashSecretOf(config), 'caller'),
    }),
    limits: createCallerLimits({
      what: 'requests from this caller',
      perMinute: config.httpRateLimit,
      store: storeOf(app, config, 'callers'),
      maxInFlight: config.httpMaxInFlight,
      maxBytes: maxPendingBytes,
    }),
    readiness,
    metrics: createMetricsRoute(prometheus, config.metricsToken),
    mcp: endpoint.serve,
    webhooks: createWebhookRoutes(options),
    publicDocuments: createPublicDocuments({
      name: app.name,
      audience: config.oauthAudience,
      hasTokens: config.httpTokens.length > 0,
    }),
  });
  const name = host.includes(':') ? `[${host}]` : host;
  return {
    url: `http://${name}:${listener.port}/mcp`,
    port: listener.port,
    /** Shuts down gracefully: is not ready for the drain time, then accepts nothing new, waits for running calls, and closes. */
    drain: async (): Promise<void> => {
      isDraining = true;
      // Without another replica, no server could take over meanwhile.
      const { replicas = 1, httpDrainMs: drainMs = replicas > 1 ? 5_000 : 0 } = config;
      await sleep(drainMs);
      await untilAccepted();
      listener.stopListening();
      // `endCalls` would cancel what came last. A proxy that sends on is refused when it has used up its connections.
      await listener.untilServed(drainMs > 0 ? readGraceMs : 0);
      stopped.abort();
      await endCalls(app);
      await endpoint.close();
      listener.cut();
    },
  };
}
