import type { Tool } from './tool.ts';
import type { Toolset } from './toolsets.ts';

export interface ToolFilter {
  readOnly: boolean;
  /** Undefined: all toolsets. */
  toolsets: readonly Toolset[] | undefined;
}

/** The tools that a server lists and can call. Read-only mode removes every tool that writes. */
export function filterTools(tools: readonly Tool[], { readOnly, toolsets }: ToolFilter): Tool[] {
  return tools.filter(
    (tool) => (!readOnly || tool.effect === 'read') && (toolsets === undefined || toolsets.includes(tool.toolset)),
  );
}
