import type { JWTPayload } from 'jose';
import { type Scope, scopes } from '../../../mcp/principal.ts';
import { isObject } from '../../../shared/json.ts';

/** The scopes of a token that this server knows, and all names in the claims that may hold them. */
export interface TokenScopes {
  readonly held: ReadonlySet<Scope>;
  readonly found: readonly string[];
}

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

function knownScopes(names: readonly string[]): Set<Scope> {
  return new Set(scopes.filter((known) => names.includes(known)));
}

/** The names in a claim, by the claim's name or the path to it. */
export function namesAt(claims: JWTPayload, path: string): string[] {
  return namesIn(claimAt(claims, path));
}

/**
 * Reads the scopes from the claim named by `claim` and no other: a provider may put every scope that a client asks for
 * into `scope`. Without a name, reads the first usual claim that has a known scope. They are not added up, since
 * Auth0's `permissions` has all that the person may do, even if the client asked for less.
 */
export function scopesIn(claims: JWTPayload, claim: string | undefined): TokenScopes {
  const lists = (claim === undefined ? usualClaims : [claim]).map((name) => namesAt(claims, name));
  const held = lists.map(knownScopes).find(({ size }) => size > 0);
  return { held: held ?? new Set(), found: lists.flat() };
}
