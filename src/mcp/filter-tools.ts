import type { Tool } from './tool.ts';
import type { Toolset } from './toolsets.ts';

export interface ToolFilter {
  readOnly: boolean;
  /** All when undefined. */
  toolsets: readonly Toolset[] | undefined;
}

/** The tools that a server lists and can call: read-only mode wins over everything. */
export function filterTools(tools: readonly Tool[], { readOnly, toolsets }: ToolFilter): Tool[] {
  return tools.filter(
    (tool) => (!readOnly || tool.effect === 'read') && (toolsets === undefined || toolsets.includes(tool.toolset)),
  );
}
