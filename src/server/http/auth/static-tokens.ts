import { timingSafeEqual } from 'node:crypto';
import type { CallerToken } from '../../../accounts/accounts.ts';
import { fullPrincipal, type Principal } from '../../../mcp/principal.ts';
import type { KeyedHash } from '../../../shared/keyed-hash.ts';
import { sha256 } from '../sha256.ts';

/**
 * Finds the caller of a token. Compares digests, which all have the same length, and always compares with every known
 * token, so that the time reveals nothing. The name of the token, or its hash, names the caller in the audit log and in limits.
 */
export function createStaticTokens(
  tokens: readonly CallerToken[],
  hash: KeyedHash,
): (token: string) => Principal | undefined {
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
