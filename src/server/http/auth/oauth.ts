import type { JWTPayload, JWTVerifyGetKey } from 'jose';
import type { Logger } from 'pino';
import { type Principal, type Scope, scopes } from '../../../mcp/principal.ts';
import type { KeyedHash } from '../../../shared/keyed-hash.ts';
import { failureReason, fetchKeySet, findKeys } from './oauth-discovery.ts';

/** Why a token is refused. Nothing of the token is repeated. */
export type TokenProblem = 'invalid_token' | 'insufficient_scope' | 'unavailable';

export interface OAuthSettings {
  /** The authorization server, exactly as its tokens name it. */
  issuer: string;
  /** The audience that its tokens must have. */
  audience: string;
}

/** Only asymmetric signatures: with a shared secret, anyone who can check a token can also create one. */
const algorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];

/** Seconds by which the clocks of two machines may differ. */
const clockTolerance = 30;
/** Milliseconds after a failed request to the issuer in which none is sent, so that an outage causes no flood of requests. */
const failureCooldownMs = 10_000;

/** Codes of jose for an invalid token. Any other error means that the keys could not be fetched. */
const badToken =
  /^ERR_(JWT_|JWS_|JOSE_ALG_NOT_ALLOWED|JOSE_NOT_SUPPORTED|JWKS_NO_MATCHING_KEY|JWKS_MULTIPLE_MATCHING_KEYS)/;

function isBadToken(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return badToken.test(code);
}

/** Reads scopes from one text (RFC 8693, section 4.2) or, as some servers send them, from a list. */
function scopesIn({ scope, scp }: JWTPayload): Set<Scope> {
  const claim = scope ?? scp;
  const names: unknown[] = typeof claim === 'string' ? claim.split(' ') : Array.isArray(claim) ? claim : [];
  return new Set(scopes.filter((known) => names.includes(known)));
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/**
 * Names a caller for the audit log and limits. A subject may be an email, and the audit log must not contain one, so
 * anything but a plain name is hashed. No plain name contains `#`, so nobody can use another caller's hash as a name.
 * There is only one issuer; with several, the issuer would have to be part of the name.
 */
function callerName(kind: 'sub' | 'client', name: string, hash: KeyedHash): string {
  const isPlain = /^[\w.|:-]{1,64}$/.test(name);
  return `oauth:${kind}:${isPlain ? name : `#${hash(`${kind}:${name}`)}`}`;
}

/** A person and a client with the same name are two callers. `azp` names a client as well. */
function callerOf({ sub, client_id, azp }: JWTPayload, hash: KeyedHash): string | undefined {
  if (isName(sub)) return callerName('sub', sub, hash);
  const client = [client_id, azp].find(isName);
  return client === undefined ? undefined : callerName('client', client, hash);
}

function principalOf(claims: JWTPayload, hash: KeyedHash): Principal | TokenProblem {
  const caller = callerOf(claims, hash);
  if (caller === undefined) return 'invalid_token';
  const held = scopesIn(claims);
  return held.size === 0 ? 'insufficient_scope' : { caller, scopes: held };
}

/** The issuer failed less than `failureCooldownMs` ago. That failure is logged already. */
class IssuerCoolingDown extends Error {}

/** After a failure, throws at once until the cooldown ends. Otherwise each forged token would cause a request. */
function withCooldown<Args extends unknown[], Result>(fetch: (...args: Args) => Promise<Result>): typeof fetch {
  let failedAt: number | undefined;
  return async (...args) => {
    if (failedAt !== undefined && performance.now() - failedAt < failureCooldownMs) throw new IssuerCoolingDown();
    try {
      return await fetch(...args);
    } catch (error) {
      failedAt = performance.now();
      throw error;
    }
  };
}

/** Finds the keys of the issuer when the first token arrives, and remembers their URL. */
function createKeySource({ issuer }: OAuthSettings): () => Promise<JWTVerifyGetKey> {
  let source: Promise<JWTVerifyGetKey> | undefined;
  const load = withCooldown(async () => {
    const [keys, { createRemoteJWKSet, customFetch }] = await Promise.all([findKeys(issuer), import('jose')]);
    // A token with an unknown key causes a new fetch, at most one for each cooldown.
    const times = { timeoutDuration: 5_000, cooldownDuration: 30_000 };
    return createRemoteJWKSet(keys, { ...times, [customFetch]: withCooldown(fetchKeySet) });
  });
  return async () => {
    source ??= load();
    try {
      return await source;
    } catch (error) {
      source = undefined;
      throw error;
    }
  };
}

/** An OAuth 2.1 resource server. Checks access tokens that are JWTs (RFC 9068) and never forwards one. */
export function createOAuth(
  settings: OAuthSettings,
  hash: KeyedHash,
  log: Logger,
): (token: string) => Promise<Principal | TokenProblem> {
  const keySource = createKeySource(settings);
  const expected = { ...settings, algorithms, clockTolerance, requiredClaims: ['exp'] };
  return async (token) => {
    // A token that is not a JWT is refused without fetching keys.
    if (token.split('.').length !== 3) return 'invalid_token';
    try {
      const [keys, { jwtVerify }] = await Promise.all([keySource(), import('jose')]);
      return principalOf((await jwtVerify(token, keys, expected)).payload, hash);
    } catch (error) {
      if (isBadToken(error)) return 'invalid_token';
      if (!(error instanceof IssuerCoolingDown))
        log.error({ problem: failureReason(error) }, 'cannot get the keys of the OAuth issuer');
      return 'unavailable';
    }
  };
}
