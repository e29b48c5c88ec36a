import type { Effect } from '../contract/operation.ts';

/** OAuth scopes (RFC 6749, section 3.3). */
export const scopes = ['academy:read', 'academy:write', 'academy:access', 'academy:data'] as const;
export type Scope = (typeof scopes)[number];

/** A caller, by the name that the audit log shows and that limits count by, with the caller's scopes. */
export interface Principal {
  readonly caller: string;
  readonly scopes: ReadonlySet<Scope>;
  /** Names of the accounts of an accounts file that the caller may use; undefined: all. */
  readonly accounts?: readonly string[] | undefined;
}

const everything: ReadonlySet<Scope> = new Set(scopes);

export function fullPrincipal(caller: string, accounts?: readonly string[]): Principal {
  return { caller, scopes: everything, accounts };
}

/** The scopes that any tool can need. Without the mirror, no tool needs that of its data. */
export function scopesWith(mirror: string): readonly Scope[] {
  return mirror === 'off' ? scopes.filter((scope) => scope !== 'academy:data') : scopes;
}

/** The scope that a tool needs. Changing what students can access needs more trust than editing a lesson. */
export function scopeOf(tool: { effect: Effect; toolset: Toolset; scope?: Scope }): Scope {
  if (tool.scope !== undefined) return tool.scope;
  if (tool.effect === 'read') return 'academy:read';
  return tool.toolset === 'access' ? 'academy:access' : 'academy:write';
}

/** Groups of tools, by their names in ACADEMY_TOOLSETS. */
export const toolsets = [
  'account',
  'courses',
  'products',
  'community',
  'orders',
  'students',
  'access',
  'insights',
  'data',
] as const;
export type Toolset = (typeof toolsets)[number];
