import type { Tool } from './tool.ts';
import type { Toolset } from './toolsets.ts';

export interface ToolFilter {
  readOnly: boolean;
  /** Undefined: all toolsets. */
  toolsets: readonly Toolset[] | undefined;
}

/** The tools that a server lists and can call. Read-only mode removes every tool that writes. */
export function filterTools<Filtered extends Pick<Tool, 'effect' | 'toolset'>>(
  tools: readonly Filtered[],
  { readOnly, toolsets }: ToolFilter,
): Filtered[] {
  return tools.filter(
    (tool) => (!readOnly || tool.effect === 'read') && (toolsets === undefined || toolsets.includes(tool.toolset)),
  );
}
