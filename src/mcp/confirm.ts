import * as z from 'zod';
import { AcademyError } from '../errors.ts';
import { defineTool, type Tool } from './tool.ts';

/**
 * When a destructive tool may run. `argument`: with `confirm: true`. `block`: never.
 * README: "Safety".
 */
export const confirmPolicies = ['argument', 'block'] as const;
export type ConfirmPolicy = (typeof confirmPolicies)[number];

// Not lenient like other flags: consent is the boolean true and nothing that resembles it.
const confirmation = z.boolean().optional().describe('true once a person has agreed to exactly this call');

function refuse(policy: ConfirmPolicy, preview: string): never {
  if (policy === 'block') {
    throw new AcademyError('declined', `${preview} Destructive calls are switched off here. Nothing was changed`, {
      hint: 'ACADEMY_CONFIRM=block forbids it; only the one who runs this server can allow it.',
      outcome: 'not_applied',
    });
  }
  throw new AcademyError('confirmation_required', `${preview} Nothing was sent, nothing was changed`, {
    hint: 'Show this to the person you work for. If they agree, call again with the same arguments and confirm: true.',
    outcome: 'not_applied',
  });
}

/** Puts the guard in front of a tool that takes access or progress away; other tools stay as they are. */
export function withConfirmation(tool: Tool, policy: ConfirmPolicy): Tool {
  if (tool.effect !== 'destroy') return tool;
  const input = tool.input.extend({ confirm: confirmation });
  return defineTool({
    ...tool,
    input,
    run: async ({ confirm, ...rest }, context) => {
      if (confirm !== true || policy === 'block') refuse(policy, tool.consequence?.(rest) ?? `${tool.title}.`);
      return await tool.run(rest, context);
    },
  });
}
