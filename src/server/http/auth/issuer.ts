import { setTimeout as sleep } from 'node:timers/promises';
import type { JWTVerifyGetKey } from 'jose';
import type { Logger } from 'pino';
import type { Dispatcher } from 'undici';
import * as z from 'zod';
import { isEncryptedOrLocal, isLoopback } from '../../../shared/loopback.ts';

/** Milliseconds. A caller waits for this request. */
const timeoutMs = 5_000;
/** Bytes of a document from the issuer. */
const maxResponseSize = 256 * 1024;

const metadata = z.looseObject({ issuer: z.string(), jwks_uri: z.url() });
const keySet = z.looseObject({ keys: z.array(z.looseObject({})) });

/** RFC 8414, section 3.1, then OpenID Connect Discovery in both forms: the order of the MCP specification. */
function metadataLocations(issuer: string): string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  const inserted = ['oauth-authorization-server', 'openid-configuration'].map(
    (name) => `${origin}/.well-known/${name}${path}`,
  );
  return [...new Set([...inserted, `${origin}${path}/.well-known/openid-configuration`])];
}

type ReadDocument = (location: string, signal?: AbortSignal) => Promise<unknown>;

/** Reads JSON of the issuer. Honours HTTPS_PROXY and NO_PROXY. Follows no redirects. Throws unless the status is 200. */
export function createDocumentReader(): ReadDocument {
  const opened = new Map<boolean, Dispatcher>();
  return async (location, signal = AbortSignal.timeout(timeoutMs)) => {
    // Through `default`: undici is CommonJS, and a bundler cannot know its other names.
    const { Agent, EnvHttpProxyAgent, request } = (await import('undici')).default;
    const isLocal = isLoopback(new URL(location));
    const dispatcher = opened.get(isLocal) ?? new (isLocal ? Agent : EnvHttpProxyAgent)({ maxResponseSize });
    opened.set(isLocal, dispatcher);
    const { statusCode, body } = await request(location, {
      signal,
      dispatcher,
      headers: { accept: 'application/json' },
    });
    if (statusCode === 200) return await body.json();
    await body.dump();
    throw new Error(`${location} returned HTTP ${statusCode}`);
  };
}

/** The issuer with and without a slash at its end: identity providers name themselves in both ways. */
export function issuerForms(issuer: string): string[] {
  const bare = issuer.replace(/\/$/, '');
  return [bare, `${bare}/`];
}

/** Why a request failed: the code of an error of the network, or our own words. */
export function failureReason(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error';
  if ('code' in error && typeof error.code === 'string') return error.code;
  return error.name === 'Error' ? error.message : error.name;
}

/** The issuer as it writes itself, and where its keys are. Throws if no document names them, or one names another issuer. */
export async function findMetadata(issuer: string, read: ReadDocument) {
  let problem = 'no metadata document was found';
  for (const location of metadataLocations(issuer)) {
    const document = await read(location).catch((error: unknown) => {
      problem = failureReason(error);
    });
    const { data } = metadata.safeParse(document);
    if (data === undefined) continue;
    // RFC 8414, section 3.3: they must not be used.
    if (!issuerForms(issuer).includes(data.issuer))
      throw new Error(`its metadata name ${data.issuer}. Set ACADEMY_OAUTH_ISSUER to the issuer that the tokens name`);
    const keys = new URL(data.jwks_uri);
    if (!isEncryptedOrLocal(keys)) throw new Error('the URL of the keys is not https');
    return { issuer: data.issuer, keys };
  }
  throw new Error(problem);
}

/** Milliseconds after a failed request to the issuer in which none is sent, so that an outage causes no flood of requests. */
const failureCooldownMs = 10_000;
/** Milliseconds between two attempts to reach an issuer that was not there at start. */
const retryMs = 15_000;

type KeySet = JWTVerifyGetKey & { jwks(): { keys: { kid?: string }[] } | undefined };

export type Issuer = ReturnType<typeof createIssuer>;

/** The issuer failed a short time ago. That failure is logged already. */
class IssuerCoolingDown extends Error {}

/** After a failure, throws at once until the cooldown ends. Otherwise each forged token would cause a request. */
function withCooldown<Args extends unknown[], Result>(fetch: (...args: Args) => Promise<Result>, cooldownMs: number) {
  let failedAt = Number.NEGATIVE_INFINITY;
  return async (...args: Args) => {
    if (performance.now() - failedAt < cooldownMs) throw new IssuerCoolingDown();
    try {
      return await fetch(...args);
    } catch (error) {
      failedAt = performance.now();
      throw error;
    }
  };
}

/** The authorization server. Its metadata is fetched once, its keys when a token needs them. `pace` multiplies all pauses: less than 1 in tests. */
export function createIssuer({ issuer, log, pace }: { issuer: string; log: Logger; pace: number }) {
  const cooldownMs = failureCooldownMs * pace;
  const read = createDocumentReader();

  /** As the issuer writes its own name or, until that is known, as the setting has it. */
  let published = issuer;
  const load = withCooldown(async () => {
    const [metadata, { createRemoteJWKSet, customFetch }] = await Promise.all([
      findMetadata(issuer, read),
      import('jose'),
    ]);
    published = metadata.issuer;
    // A token with an unknown key causes a new fetch, at most one for each cooldown.
    const times = { timeoutDuration: 5_000, cooldownDuration: 30_000 };
    // jose accepts any JSON.
    const fetchKeys = withCooldown(
      async (url: string, { signal }: { signal: AbortSignal }) => Response.json(keySet.parse(await read(url, signal))),
      cooldownMs,
    );
    const keys: KeySet = createRemoteJWKSet(metadata.keys, { ...times, [customFetch]: fetchKeys });
    return { metadata, keys };
  }, cooldownMs);
  let opening: ReturnType<typeof load> | undefined;

  function open() {
    opening ??= load().catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    return opening;
  }

  function logFailure(error: unknown): void {
    if (error instanceof IssuerCoolingDown) return;
    const message = 'cannot use the OAuth issuer. Until it answers, requests with its tokens get 503';
    log.error({ issuer, problem: failureReason(error) }, message);
  }

  /** Fetches the metadata, and logs the result. Retries until it succeeds or the signal is aborted. */
  async function watch(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        const { metadata } = await open();
        return log.info({ issuer: metadata.issuer, keys: metadata.keys.href }, 'the OAuth issuer answers');
      } catch (error) {
        logFailure(error);
      }
      await sleep(retryMs * pace, undefined, { signal, ref: false }).catch(() => {});
    }
  }

  return { open, name: () => published, watch, logFailure };
}
