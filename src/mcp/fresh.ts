import * as z from 'zod';
import { takesFresh } from './filter-tools.ts';
import { defineTool, type Tool } from './tool.ts';

// Tools that the mirror can answer take `fresh`. Without the mirror they do not list it.

/** The argument as clients read it. */
export const freshArgument = z.strictObject({
  fresh: z.boolean().optional().describe('true reads the API, not the mirror'),
});

/** Adds `fresh` to a tool that the mirror can answer. With it, the tool finds no mirror and reads no orders that it has cached. */
export function withFresh(tool: Tool, settings: { mirror: string }): Tool {
  if (!takesFresh(tool, settings)) return tool;
  const { check } = tool;
  return defineTool({
    ...tool,
    input: tool.input.extend(freshArgument.shape),
    check: check && (({ fresh: _fresh, ...rest }, context) => check(rest, context)),
    run: async ({ fresh, ...rest }, context) => {
      return await tool.run(rest, fresh === true ? { ...context, mirror: undefined, isFresh: true } : context);
    },
  });
}
