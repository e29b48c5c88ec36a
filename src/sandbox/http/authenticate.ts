/**
 * The key of an Authorization header: `Token token=KEY` (as in Rails, KEY may be quoted and other pairs may follow) or
 * `Bearer KEY`. Undefined if there is none.
 */
export function keyOf(authorization: string | undefined): string | undefined {
  const [, scheme = '', credentials = ''] = /^(token|bearer)\s+(.*)$/i.exec(authorization?.trim() ?? '') ?? [];
  if (scheme.toLowerCase() === 'bearer') return credentials || undefined;
  const [, quoted, plain] = /^token=(?:"([^"]+)"|([^",;\s]+))/.exec(credentials) ?? [];
  return quoted ?? plain;
}

export type KeyRole = 'admin' | 'student';

/** The keys of an account, with the role of each. */
export function keyRoles(apiKeys: readonly string[], studentKeys: readonly string[]): ReadonlyMap<string, KeyRole> {
  return new Map([
    ...studentKeys.map((key) => [key, 'student'] as const),
    ...apiKeys.map((key) => [key, 'admin'] as const),
  ]);
}
