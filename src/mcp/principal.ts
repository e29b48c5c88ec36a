import type { Effect } from '../contract/operation.ts';
import type { Toolset } from './toolsets.ts';

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

/** The scope that a tool needs. Changing what students can access needs more trust than editing a lesson. */
export function scopeOf(tool: { effect: Effect; toolset: Toolset; scope?: Scope }): Scope {
  if (tool.scope !== undefined) return tool.scope;
  if (tool.effect === 'read') return 'academy:read';
  return tool.toolset === 'access' ? 'academy:access' : 'academy:write';
}
