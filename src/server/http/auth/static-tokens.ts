import { timingSafeEqual } from 'node:crypto';
import { fullPrincipal, type Principal } from '../../../mcp/principal.ts';
import type { KeyedHash } from '../../../shared/keyed-hash.ts';
import { sha256 } from '../sha256.ts';

/**
 * Finds who a token speaks for. Digests are compared, so that lengths are equal, and each with every one that is known,
 * so that the time tells nothing. The hash names the bearer in the audit log and in limits.
 */
export function createStaticTokens(
  tokens: readonly string[],
  hash: KeyedHash,
): (token: string) => Principal | undefined {
  const known = tokens.map((token) => ({
    sum: sha256(token),
    principal: fullPrincipal(`token:${hash(token)}`),
  }));
  return (token) => {
    const given = sha256(token);
    const [found] = known.filter(({ sum }) => timingSafeEqual(sum, given));
    return found?.principal;
  };
}
