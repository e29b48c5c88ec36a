/** OAuth scopes (RFC 6749, section 3.3). */
export const scopes = ['academy:read', 'academy:write', 'academy:access'] as const;
export type Scope = (typeof scopes)[number];

/** A caller, by the name that the audit log shows and that limits count by, with the caller's scopes. */
export interface Principal {
  readonly caller: string;
  readonly scopes: ReadonlySet<Scope>;
}

const everything: ReadonlySet<Scope> = new Set(scopes);

/** A caller with all scopes. */
export function fullPrincipal(caller: string): Principal {
  return { caller, scopes: everything };
}
