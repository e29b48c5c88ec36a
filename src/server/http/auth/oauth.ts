import type { JWTPayload } from 'jose';
import { type Principal, type Scope, scopes } from '../../../mcp/principal.ts';
import { cutAt } from '../../../shared/clean-text.ts';
import { isObject } from '../../../shared/json.ts';
import type { KeyedHash } from '../../../shared/keyed-hash.ts';
import { type Issuer, issuerForms } from './issuer.ts';

/** `scope`: RFC 8693, section 4.2. `scp`: Microsoft Entra ID and Okta. `permissions`: Auth0. */
const usualClaims = ['scope', 'scp', 'permissions'];

/** Names in one text, separated by spaces, or in a list. */
function namesIn(claim: unknown): string[] {
  if (typeof claim === 'string') return claim.split(' ').filter((name) => name !== '');
  return Array.isArray(claim) ? claim.filter((name) => typeof name === 'string') : [];
}

/** A claim by its name or, as `resource_access.academy.roles`, by the path to it. Names may contain dots, too. */
function claimAt(claims: unknown, path: string): unknown {
  if (!isObject(claims)) return undefined;
  if (Object.hasOwn(claims, path)) return claims[path];
  const [name = '', ...rest] = path.split('.');
  return rest.length > 0 && Object.hasOwn(claims, name) ? claimAt(claims[name], rest.join('.')) : undefined;
}

function namesAt(claims: JWTPayload, path: string): string[] {
  return namesIn(claimAt(claims, path));
}

/** Only the named claim, or the first usual one with a known scope: Auth0's `permissions` has more than was asked for. */
function scopesIn(claims: JWTPayload, claim: string | undefined) {
  const lists = (claim === undefined ? usualClaims : [claim]).map((name) => namesAt(claims, name));
  const held = lists.map((names) => scopes.filter((known) => names.includes(known))).find(({ length }) => length > 0);
  return { held: new Set<Scope>(held), found: lists.flat() };
}

const maxPrinted = 200;

function printed(value: unknown): string {
  if (value === undefined || value === '') return 'none';
  const text = Array.isArray(value) ? value.join(', ') : typeof value === 'string' ? value : JSON.stringify(value);
  return cutAt(text, maxPrinted);
}

function time(seconds: unknown): string {
  const date = new Date(typeof seconds === 'number' ? seconds * 1000 : Number.NaN);
  return Number.isNaN(date.getTime()) ? printed(seconds) : date.toISOString();
}

export type FailedCheck = ReturnType<typeof failedCheck>;

/** A check that an access token failed, for the log. `found` is from the token, whose signature may be wrong. */
function failedCheck(check: string, expected: unknown, found: unknown) {
  return { check, expected: printed(expected), found: printed(found) };
}

/** Why a token is refused, as an error code of RFC 6750 if one fits. */
export type TokenProblem = 'no_token' | 'invalid_token' | 'insufficient_scope' | 'no_account' | 'unavailable';

/** A request without a valid token. The client learns only the problem; the failed checks are for the log. */
export class TokenRefused extends Error {
  readonly problem: TokenProblem;
  readonly failed: readonly FailedCheck[];
  constructor(problem: TokenProblem, failed: readonly FailedCheck[] = []) {
    super(problem);
    this.problem = problem;
    this.failed = failed;
  }
}

function refused(problem: TokenProblem, ...check: Parameters<typeof failedCheck>): TokenRefused {
  return new TokenRefused(problem, [failedCheck(...check)]);
}

export interface OAuthSettings {
  /** The authorization server. A slash at its end makes no difference. */
  issuer: string;
  audience: string;
  /** The scopes that a tool of this server can need. A provider may refuse a request for one that it does not know. */
  scopes: readonly Scope[];
  /** The claim that has the scopes; undefined for the usual ones. */
  scopeClaim: string | undefined;
  /** The claim that names the accounts which a token opens, and all accounts; undefined without an accounts file. */
  accountClaim?: { readonly claim: string; readonly names: readonly string[] } | undefined;
}

/** Only asymmetric signatures: with a shared secret, anyone who can check a token can also create one. */
const algorithms = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ');

const clockTolerance = 30;

/** Codes of jose for an invalid token. Any other error means that the keys could not be fetched. */
const badToken =
  /^ERR_(JWT_|JWS_|JOSE_ALG_NOT_ALLOWED|JOSE_NOT_SUPPORTED|JWKS_NO_MATCHING_KEY|JWKS_MULTIPLE_MATCHING_KEYS)/;

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** A subject may be an email, so all but plain names are hashed. None contains `#`, so no hash is another's name. */
function callerName(kind: 'sub' | 'client', name: string, hash: KeyedHash): string {
  const isPlain = /^[\w.|:-]{1,64}$/.test(name);
  return `oauth:${kind}:${isPlain ? name : `#${hash(`${kind}:${name}`)}`}`;
}

/** A person and a client with one name are two callers. For client credentials: RFC 9068, section 2.2. */
function callerOf({ sub, client_id, azp }: JWTPayload, hash: KeyedHash): string | undefined {
  const client = [client_id, azp].find(isName);
  if (isName(sub) && sub !== client) return callerName('sub', sub, hash);
  return client === undefined ? undefined : callerName('client', client, hash);
}

/** The caller with the accounts that the token names. Names of other servers' accounts are no error. */
function withAccounts(principal: Principal, claims: JWTPayload, { accountClaim }: OAuthSettings): Principal {
  if (accountClaim === undefined) return principal;
  const { claim, names } = accountClaim;
  const found = namesAt(claims, claim);
  const accounts = names.filter((name) => found.includes(name));
  if (accounts.length > 0) return { ...principal, accounts };
  throw refused('no_account', 'accounts', `one of ${names.join(', ')} in the claim ${claim}`, found);
}

function principalOf(claims: JWTPayload, settings: OAuthSettings, hash: KeyedHash): Principal {
  const { scopes, scopeClaim } = settings;
  const caller = callerOf(claims, hash);
  if (caller === undefined) throw refused('invalid_token', 'subject', 'sub, client_id or azp', 'none');
  const { held, found } = scopesIn(claims, scopeClaim);
  if (held.size > 0) return withAccounts({ caller, scopes: held }, claims, settings);
  const expected = `one of ${scopes.join(', ')}${scopeClaim === undefined ? '' : ` in the claim ${scopeClaim}`}`;
  throw refused('insufficient_scope', 'scope', expected, found);
}

/** More than the first failed check: a token of another realm fails on its key, and only its issuer says why. */
async function explain(
  token: string,
  code: string,
  keys: Awaited<ReturnType<Issuer['open']>>['keys'],
  { issuer, audience }: OAuthSettings,
): Promise<FailedCheck[]> {
  const { decodeJwt, decodeProtectedHeader } = await import('jose');
  try {
    const { alg = '', kid } = decodeProtectedHeader(token);
    const { iss, aud, exp, nbf } = decodeJwt(token);
    const now = Date.now() / 1000;
    const known = keys.jwks()?.keys.map((key) => key.kid);
    const isForged = code === 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED';
    const checks: [check: string, isFailed: boolean, expected: unknown, found: unknown][] = [
      ['signature', isForged, `one made with the key ${kid ?? 'of the issuer'}`, 'another one'],
      ['key id', code.startsWith('ERR_JWKS_'), known, kid],
      ['algorithm', !algorithms.includes(alg), algorithms, alg],
      ['issuer', !issuerForms(issuer).includes(iss ?? ''), issuer, iss],
      ['audience', ![aud].flat().includes(audience), audience, aud],
      ['expiry', !(Number(exp) > now - clockTolerance), `after ${time(now)}`, time(exp)],
      ['not before', Number(nbf) > now + clockTolerance, `before ${time(now)}`, time(nbf)],
    ];
    const failed = checks.filter(([, isFailed]) => isFailed);
    if (failed.length > 0) return failed.map(([check, , expected, found]) => failedCheck(check, expected, found));
    return [failedCheck('format', 'a signed JWT (RFC 9068)', code)];
  } catch {
    return [failedCheck('format', 'a signed JWT (RFC 9068)', 'a token that cannot be decoded')];
  }
}

/** An OAuth 2.1 resource server. Checks access tokens that are JWTs (RFC 9068) and never forwards one. Throws `TokenRefused`. */
export function createOAuth(settings: OAuthSettings, hash: KeyedHash, issuer: Issuer) {
  const { audience } = settings;
  const requirements = { algorithms, clockTolerance, requiredClaims: ['exp'] };
  const expected = { audience, issuer: issuerForms(settings.issuer), ...requirements };
  return async (token: string): Promise<Principal> => {
    const parts = token.split('.').length;
    // A token that is not a JWT is refused without fetching keys.
    if (parts !== 3)
      throw refused('invalid_token', 'format', 'a JWT, which has 3 parts', `${parts} part${parts === 1 ? '' : 's'}`);
    try {
      const [{ keys }, { jwtVerify }] = await Promise.all([issuer.open(), import('jose')]);
      const { payload } = await jwtVerify(token, keys, expected).catch(async (error: unknown) => {
        const code = error instanceof Error && 'code' in error ? String(error.code) : '';
        throw badToken.test(code)
          ? new TokenRefused('invalid_token', await explain(token, code, keys, settings))
          : error;
      });
      return principalOf(payload, settings, hash);
    } catch (error) {
      if (error instanceof TokenRefused) throw error;
      issuer.logFailure(error);
      throw new TokenRefused('unavailable');
    }
  };
}
