import { setTimeout as sleep } from 'node:timers/promises';
import type { JWTVerifyGetKey } from 'jose';
import type { Logger } from 'pino';
import { createIssuerFetch, failureReason, fetchKeySet, findMetadata, type IssuerMetadata } from './oauth-discovery.ts';

/** Milliseconds after a failed request to the issuer in which none is sent, so that an outage causes no flood of requests. */
const failureCooldownMs = 10_000;
/** Milliseconds between two attempts to reach an issuer that was not there at start. */
const retryMs = 15_000;

type KeySet = JWTVerifyGetKey & { jwks(): { keys: { kid?: string }[] } | undefined };

interface OpenIssuer {
  readonly metadata: IssuerMetadata;
  readonly keys: KeySet;
}

export type Issuer = ReturnType<typeof createIssuer>;

interface IssuerOptions {
  /** The setting. */
  issuer: string;
  log: Logger;
  /** Multiplies all pauses: 1, or less in tests. */
  pace: number;
}

/** The issuer failed a short time ago. That failure is logged already. */
class IssuerCoolingDown extends Error {}

/** After a failure, throws at once until the cooldown ends. Otherwise each forged token would cause a request. */
function withCooldown<Args extends unknown[], Result>(
  fetch: (...args: Args) => Promise<Result>,
  cooldownMs: number,
): typeof fetch {
  let failedAt = Number.NEGATIVE_INFINITY;
  return async (...args) => {
    if (performance.now() - failedAt < cooldownMs) throw new IssuerCoolingDown();
    try {
      return await fetch(...args);
    } catch (error) {
      failedAt = performance.now();
      throw error;
    }
  };
}

/** The authorization server. Its metadata is fetched once, its keys when a token needs them. */
export function createIssuer({ issuer, log, pace }: IssuerOptions) {
  let opening: Promise<OpenIssuer> | undefined;
  const cooldownMs = failureCooldownMs * pace;
  const fetch = createIssuerFetch();

  /** As the issuer writes its own name or, until that is known, as the setting has it. */
  let published = issuer;
  const load = withCooldown(async (): Promise<OpenIssuer> => {
    const [metadata, { createRemoteJWKSet, customFetch }] = await Promise.all([
      findMetadata(issuer, fetch),
      import('jose'),
    ]);
    published = metadata.issuer;
    // A token with an unknown key causes a new fetch, at most one for each cooldown.
    const times = { timeoutDuration: 5_000, cooldownDuration: 30_000 };
    const getKeys = (url: string, { signal }: { signal: AbortSignal }) => fetchKeySet(url, signal, fetch);
    const fetchKeys = withCooldown(getKeys, cooldownMs);
    return { metadata, keys: createRemoteJWKSet(metadata.keys, { ...times, [customFetch]: fetchKeys }) };
  }, cooldownMs);

  /** Rejects if the metadata cannot be had. */
  async function open(): Promise<OpenIssuer> {
    opening ??= load();
    try {
      return await opening;
    } catch (error) {
      opening = undefined;
      throw error;
    }
  }

  /** Logs why a token could not be checked. */
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
