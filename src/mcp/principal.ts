/** What a caller may do. OAuth's names; RFC 6749, section 3.3. */
export const scopes = ['academy:read', 'academy:write', 'academy:access'] as const;
export type Scope = (typeof scopes)[number];

/** Who calls, as the audit log shows it and limits count it, and what they may do. */
export interface Principal {
  readonly caller: string;
  readonly scopes: ReadonlySet<Scope>;
}

const everything: ReadonlySet<Scope> = new Set(scopes);

/** Someone who may do all that this server does. */
export function fullPrincipal(caller: string): Principal {
  return { caller, scopes: everything };
}
