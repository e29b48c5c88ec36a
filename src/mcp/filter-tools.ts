import type { Tool } from './tool.ts';
import type { Toolset } from './toolsets.ts';

export interface ToolFilter {
  readOnly: boolean;
  /** Undefined: all toolsets. */
  toolsets: readonly Toolset[] | undefined;
  /** `off`: the tools of the mirror are not listed. */
  mirror: string;
  /** `off` or missing: the tools that need the journal of changes are not listed. */
  journal?: string;
  /** Whether the program has the events of the academy; default: no. */
  hasEvents?: boolean;
}

/**
 * The tools that a server lists and can call. Read-only mode removes every tool that writes. Without events, the
 * journal or the mirror, the tools that need them are removed.
 */
export function filterTools<Filtered extends Pick<Tool, 'effect' | 'toolset' | 'needsEvents' | 'needsJournal'>>(
  tools: readonly Filtered[],
  { readOnly, toolsets, mirror, journal = 'off', hasEvents = false }: ToolFilter,
): Filtered[] {
  return tools.filter(
    (tool) =>
      (!readOnly || tool.effect === 'read') &&
      (mirror !== 'off' || tool.toolset !== 'data') &&
      (toolsets === undefined || toolsets.includes(tool.toolset)) &&
      (journal !== 'off' || tool.needsJournal === undefined) &&
      (hasEvents || tool.needsEvents === undefined),
  );
}
