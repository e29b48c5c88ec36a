import type { JWTPayload, JWTVerifyGetKey } from 'jose';
import type { Logger } from 'pino';
import { type Principal, type Scope, scopes } from '../../../mcp/principal.ts';
import type { KeyedHash } from '../../../shared/keyed-hash.ts';
import { failureReason, fetchKeySet, findKeys } from './oauth-discovery.ts';

/** What is wrong with a token, in words of ours: none of a token's own are repeated. */
export type TokenProblem = 'invalid_token' | 'insufficient_scope' | 'unavailable';

export interface OAuthSettings {
  /** The authorization server, letter by letter as its tokens name it. */
  issuer: string;
  /** What its tokens must be for. */
  audience: string;
}

/** Signatures with a private key alone: with a shared secret whoever can check a token can make one. */
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

/** Seconds that the clocks of two machines may be apart. */
const clockTolerance = 30;
/** After a failure nobody asks the issuer again for this long, in milliseconds: an outage is no reason for a storm. */
const failureCooldownMs = 10_000;

/** jose's codes for what is wrong with a token itself. Any other failure is one of getting at the keys. */
const badToken =
  /^ERR_(JWT_|JWS_|JOSE_ALG_NOT_ALLOWED|JOSE_NOT_SUPPORTED|JWKS_NO_MATCHING_KEY|JWKS_MULTIPLE_MATCHING_KEYS)/;

function isBadToken(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return badToken.test(code);
}

/** Scopes as one text (RFC 8693, section 4.2) or, with some servers, as a list. */
function scopesIn({ scope, scp }: JWTPayload): Set<Scope> {
  const given = scope ?? scp;
  const names: unknown[] = typeof given === 'string' ? given.split(' ') : Array.isArray(given) ? given : [];
  return new Set(scopes.filter((known) => names.includes(known)));
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/**
 * A subject may be an email, and callers stand in the audit log, which holds none. The `#` is in no plain name, so that
 * nobody can take the hash of another as a name. One issuer lets callers in; with several it would be part of this.
 */
function callerName(kind: 'sub' | 'client', name: string, hash: KeyedHash): string {
  const isPlain = /^[\w.|:-]{1,64}$/.test(name);
  return `oauth:${kind}:${isPlain ? name : `#${hash(`${kind}:${name}`)}`}`;
}

/** A person and a program may have the same name: they are two callers. `azp` is the name of a client, too. */
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

/** The issuer failed a moment ago: told then, and not asked again yet. */
class IssuerCoolingDown extends Error {}

/** Throws at once for a while after a failure. Anybody can send what looks like a token, and each would be a request. */
function withCooldown<Question extends unknown[], Answer>(ask: (...question: Question) => Promise<Answer>): typeof ask {
  let failedAt: number | undefined;
  return async (...question) => {
    if (failedAt !== undefined && performance.now() - failedAt < failureCooldownMs) throw new IssuerCoolingDown();
    try {
      return await ask(...question);
    } catch (error) {
      failedAt = performance.now();
      throw error;
    }
  };
}

/** Finds the keys of the issuer when the first token comes, and keeps where they are. */
function createKeySource({ issuer }: OAuthSettings): () => Promise<JWTVerifyGetKey> {
  let source: Promise<JWTVerifyGetKey> | undefined;
  const load = withCooldown(async () => {
    const [keys, { createRemoteJWKSet, customFetch }] = await Promise.all([findKeys(issuer), import('jose')]);
    // An unknown key makes it look again, but no more often than the cooldown allows.
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

/** An OAuth 2.1 resource server: checks access tokens that are JWTs (RFC 9068), and never passes one on. */
export function createOAuth(
  settings: OAuthSettings,
  hash: KeyedHash,
  log: Logger,
): (token: string) => Promise<Principal | TokenProblem> {
  const keySource = createKeySource(settings);
  const expected = { ...settings, algorithms, clockTolerance, requiredClaims: ['exp'] };
  return async (token) => {
    // What is no JWT at all needs no keys to be refused.
    if (token.split('.').length !== 3) return 'invalid_token';
    try {
      const [keys, { jwtVerify }] = await Promise.all([keySource(), import('jose')]);
      return principalOf((await jwtVerify(token, keys, expected)).payload, hash);
    } catch (error) {
      if (isBadToken(error)) return 'invalid_token';
      if (!(error instanceof IssuerCoolingDown))
        log.error({ problem: failureReason(error) }, 'the OAuth issuer cannot be used');
      return 'unavailable';
    }
  };
}
