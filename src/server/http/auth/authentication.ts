import { timingSafeEqual } from 'node:crypto';
import type { CallerToken } from '../../../config/value-schemas.ts';
import { fullPrincipal, type Principal } from '../../../mcp/principal.ts';
import { HttpRefusal } from '../../../protocol/http-response.ts';
import { type KeyedHash, sha256 } from '../../../shared/keyed-hash.ts';
import type { Issuer } from './issuer.ts';
import { createOAuth, type FailedCheck, type OAuthSettings, type TokenProblem, TokenRefused } from './oauth.ts';

const wellKnown = '/.well-known/oauth-protected-resource';

/** The audience as a URL; undefined if it is not a web address. */
export function webAddress(audience: string): URL | undefined {
  const url = URL.canParse(audience) ? new URL(audience) : undefined;
  return url?.protocol === 'https:' || url?.protocol === 'http:' ? url : undefined;
}

/** URL of the metadata: the well-known path between host and path of the resource. RFC 9728, section 3.1. */
function metadataUrl(audience: string): URL | undefined {
  const location = webAddress(audience);
  return location && new URL(wellKnown + (location.pathname === '/' ? '' : location.pathname), location);
}

/** Paths that serve the metadata: the one of the RFC, and the one without the resource's path, which many clients try. */
function metadataPaths(audience: string): string[] {
  const url = metadataUrl(audience);
  return url === undefined ? [] : [...new Set([url.pathname, wellKnown])];
}

/** Protected resource metadata: where a client gets a token for this server. RFC 9728, section 2. */
export function resourceMetadata({ issuer, audience, scopes }: Pick<OAuthSettings, 'issuer' | 'audience' | 'scopes'>) {
  return {
    resource: audience,
    authorization_servers: [issuer],
    scopes_supported: scopes,
    bearer_methods_supported: ['header'],
    resource_name: 'academy-mcp',
  };
}

export type Authentication = ReturnType<typeof createAuthentication>;

interface AuthenticationOptions {
  tokens: readonly CallerToken[];
  oauth: (OAuthSettings & { source: Issuer }) | undefined;
  hash: KeyedHash;
}

/** Status, message and error code of each problem. RFC 6750, section 3.1, has no code of its own for accounts. */
const refusals: Readonly<Record<TokenProblem, readonly [status: number, message: string, code?: string]>> = {
  no_token: [401, 'An access token is required: Authorization: Bearer <token>'],
  invalid_token: [401, 'The access token is not valid for this server', 'invalid_token'],
  insufficient_scope: [403, 'The access token needs one of the scopes', 'insufficient_scope'],
  no_account: [403, 'The access token names no account of this server', 'insufficient_scope'],
  unavailable: [503, 'The authorization server cannot be reached, so the token cannot be checked. Try again later.'],
};

/** Value of WWW-Authenticate. RFC 6750, section 3 (a request without a token gets no error code); RFC 9728, section 5.1. */
function challengeFor(problem: TokenProblem, oauth: OAuthSettings | undefined): string {
  const [, message, code] = refusals[problem];
  const url = oauth && metadataUrl(oauth.audience);
  const parameters = [
    'realm="academy-mcp"',
    ...(code === undefined ? [] : [`error="${code}"`]),
    ...(problem === 'invalid_token' ? [`error_description="${message}"`] : []),
    ...(oauth === undefined ? [] : [`scope="${oauth.scopes.join(' ')}"`]),
    ...(url === undefined ? [] : [`resource_metadata="${url.href}"`]),
  ];
  return `Bearer ${parameters.join(', ')}`;
}

function refusalOf(problem: TokenProblem, oauth: OAuthSettings | undefined): HttpRefusal {
  const [status, message] = refusals[problem];
  const scopes = problem === 'insufficient_scope' ? ` ${oauth?.scopes.join(', ')}` : '';
  // If the check itself is impossible, another token would not help.
  const headers = problem === 'unavailable' ? {} : { 'www-authenticate': challengeFor(problem, oauth) };
  return new HttpRefusal(status, message + scopes, headers);
}

/** RFC 6750, section 2.1; the scheme's name in any case (RFC 9110, section 11.1). */
const bearer = /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i;

/** Checks who calls over HTTP. Undefined if neither tokens nor OAuth are set: then no token is needed. */
export function createAuthentication({ tokens, oauth, hash }: AuthenticationOptions) {
  if (tokens.length === 0 && oauth === undefined) return undefined;
  const findStatic = createStaticTokens(tokens, hash);
  const verify = oauth === undefined ? undefined : createOAuth(oauth, hash, oauth.source);

  async function callerOf(authorization: string | undefined): Promise<Principal> {
    if (authorization === undefined) throw new TokenRefused('no_token');
    const token = bearer.exec(authorization)?.[1];
    const caller = token && (findStatic(token) ?? (await verify?.(token)));
    if (!caller) throw new TokenRefused('invalid_token');
    return caller;
  }

  return {
    /** Throws `HttpRefusal`, also for a missing header, and adds to `facts` why a token was refused. */
    identify: async (authorization: string | undefined, facts: { refused?: readonly FailedCheck[] }) =>
      await callerOf(authorization).catch((error: unknown) => {
        if (!(error instanceof TokenRefused)) throw error;
        if (error.failed.length > 0) facts.refused = error.failed;
        throw refusalOf(error.problem, oauth);
      }),
    /** The protected resource metadata (RFC 9728) and their paths; undefined without OAuth. */
    resourceMetadata: oauth && {
      paths: metadataPaths(oauth.audience),
      read: () => resourceMetadata({ ...oauth, issuer: oauth.source.name() }),
    },
  };
}

/** Compares digests, which all have one length, with every known token, so that the time reveals nothing. */
function createStaticTokens(tokens: readonly CallerToken[], hash: KeyedHash): (token: string) => Principal | undefined {
  const known = tokens.map(({ name, token, accounts }) => ({
    sum: sha256(token),
    principal: fullPrincipal(`token:${name ?? hash(token)}`, accounts),
  }));
  return (token) => {
    const digest = sha256(token);
    const [found] = known.filter(({ sum }) => timingSafeEqual(sum, digest));
    return found?.principal;
  };
}
