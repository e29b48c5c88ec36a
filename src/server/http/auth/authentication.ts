import { createHash, timingSafeEqual } from 'node:crypto';
import type { CallerToken } from '../../../accounts/several-accounts.ts';
import { fullPrincipal, type Principal, type Scope } from '../../../mcp/principal.ts';
import type { KeyedHash } from '../../../shared/keyed-hash.ts';
import type { Issuer } from './issuer.ts';
import { createOAuth, type FailedCheck, type OAuthSettings, type TokenProblem } from './oauth.ts';

const wellKnown = '/.well-known/oauth-protected-resource';

/** The audience as a URL; undefined if it is not a web address. */
export function webAddress(audience: string): URL | undefined {
  const url = URL.canParse(audience) ? new URL(audience) : undefined;
  return url?.protocol === 'https:' || url?.protocol === 'http:' ? url : undefined;
}

/** Inserts the well-known path between host and path of the resource. RFC 9728, section 3.1. */
function pathFor({ pathname }: URL): string {
  return wellKnown + (pathname === '/' ? '' : pathname);
}

/** URL of the metadata; undefined if the audience is not a web address. */
function metadataUrl(audience: string): string | undefined {
  const location = webAddress(audience);
  return location && location.origin + pathFor(location);
}

/** Paths that serve the metadata: the one of the RFC, and the one without the resource's path, which many clients try. */
export function metadataPaths(audience: string): string[] {
  const location = webAddress(audience);
  return location === undefined ? [] : [...new Set([pathFor(location), wellKnown])];
}

/** Protected resource metadata: where a client gets a token for this server. RFC 9728, section 2. */
export function resourceMetadata({
  issuer,
  audience,
  scopes,
}: Pick<OAuthSettings, 'issuer' | 'audience' | 'scopes'>): object {
  return {
    resource: audience,
    authorization_servers: [issuer],
    scopes_supported: scopes,
    bearer_methods_supported: ['header'],
    resource_name: 'academy-mcp',
  };
}

/** Why a request is refused. */
export interface Refusal {
  readonly status: 401 | 403 | 503;
  readonly message: string;
  /** The value of WWW-Authenticate; undefined if another token would not help. */
  readonly challenge: string | undefined;
  /** For the log. */
  readonly failed?: readonly FailedCheck[];
}

export type Authentication = ReturnType<typeof createAuthentication>;

interface AuthenticationOptions {
  tokens: readonly CallerToken[];
  oauth: (OAuthSettings & { source: Issuer }) | undefined;
  /** Makes the name of a caller in the audit log and in limits. */
  hash: KeyedHash;
}

export function isRefusal(found: Principal | Refusal): found is Refusal {
  return 'status' in found;
}

const messages: Record<Exclude<TokenProblem, 'insufficient_scope'>, string> = {
  invalid_token: 'The access token is not valid for this server',
  no_account: 'The access token names no account of this server',
  unavailable: 'The authorization server cannot be reached, so the token cannot be checked. Try again later.',
};

function messageOf(problem: TokenProblem, scopes: readonly Scope[]): string {
  if (problem !== 'insufficient_scope') return messages[problem];
  return `The access token needs one of the scopes ${scopes.join(', ')}`;
}

/** RFC 6750, section 2.1; the scheme's name in any case (RFC 9110, section 11.1). */
const bearer = /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i;

/** RFC 6750, section 3.1. It has no code of its own for accounts. */
function errorCodeOf(problem: TokenProblem): string {
  return problem === 'no_account' ? 'insufficient_scope' : problem;
}

/** Value of WWW-Authenticate. RFC 6750, section 3 (a request without a token gets no error code); RFC 9728, section 5.1. */
function challengeFor(problem: TokenProblem | 'no_token', oauth: OAuthSettings | undefined): string {
  const { audience, scopes } = oauth ?? { audience: undefined, scopes: [] };
  const url = audience === undefined ? undefined : metadataUrl(audience);
  const parameters = [
    'realm="academy-mcp"',
    ...(problem === 'no_token' ? [] : [`error="${errorCodeOf(problem)}"`]),
    ...(problem === 'invalid_token' ? [`error_description="${messages.invalid_token}"`] : []),
    ...(audience === undefined ? [] : [`scope="${scopes.join(' ')}"`]),
    ...(url === undefined ? [] : [`resource_metadata="${url}"`]),
  ];
  return `Bearer ${parameters.join(', ')}`;
}

/** Checks who calls over HTTP. Undefined if neither tokens nor OAuth are set: then no token is needed. */
export function createAuthentication({ tokens, oauth, hash }: AuthenticationOptions) {
  if (tokens.length === 0 && oauth === undefined) return undefined;
  const findStatic = createStaticTokens(tokens, hash);
  const verify = oauth === undefined ? undefined : createOAuth(oauth, hash, oauth.source);

  function refuse(problem: TokenProblem, failed: readonly FailedCheck[] = []): Refusal {
    const message = messageOf(problem, oauth?.scopes ?? []);
    if (problem === 'unavailable') return { status: 503, message, challenge: undefined };
    const status = errorCodeOf(problem) === 'insufficient_scope' ? 403 : 401;
    const challenge = challengeFor(problem, oauth);
    return { status, message, challenge, ...(failed.length === 0 ? {} : { failed }) };
  }

  return {
    /** Resolves to the caller that an Authorization header identifies, or to a refusal. No header is a refusal, too. */
    identify: async (authorization: string | undefined): Promise<Principal | Refusal> => {
      if (authorization === undefined) {
        const challenge = challengeFor('no_token', oauth);
        return { status: 401, message: 'An access token is required: Authorization: Bearer <token>', challenge };
      }
      const token = bearer.exec(authorization)?.[1];
      if (token === undefined) return refuse('invalid_token');
      const found = findStatic(token) ?? (await verify?.(token));
      if (found === undefined) return refuse('invalid_token');
      return 'problem' in found ? refuse(found.problem, found.failed) : found;
    },
    /** Returns the protected resource metadata (RFC 9728); undefined without OAuth. */
    resourceMetadata: oauth && (() => resourceMetadata({ ...oauth, issuer: oauth.source.name() })),
  };
}

/**
 * Finds the caller of a token. Compares digests, which all have the same length, and always compares with every known
 * token, so that the time reveals nothing. The name of the token, or its hash, names the caller in the audit log and in limits.
 */
function createStaticTokens(tokens: readonly CallerToken[], hash: KeyedHash): (token: string) => Principal | undefined {
  const known = tokens.map(({ name, token, accounts }) => ({
    sum: sha256(token),
    principal: fullPrincipal(`token:${name ?? hash(token)}`, accounts),
  }));
  return (token) => {
    const given = sha256(token);
    const [found] = known.filter(({ sum }) => timingSafeEqual(sum, given));
    return found?.principal;
  };
}

/** Digest for comparing secrets with `timingSafeEqual`, which needs two values of the same length. */
export function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
