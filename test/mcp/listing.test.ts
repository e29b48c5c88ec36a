import { expect, test } from 'vitest';
import { withConfirmation } from '../../src/mcp/confirmation/confirm.ts';
import { createConfirmCodes } from '../../src/mcp/confirmation/confirm-code.ts';
import { type ConfirmPolicy, confirmPolicies } from '../../src/mcp/confirmation/policy.ts';
import { describeTool } from '../../src/mcp/describe-tool.ts';
import { fullPrincipal } from '../../src/mcp/principal.ts';
import { tools } from '../../tools/index.ts';
import { openProgram } from '../support/connect.ts';

const codes = createConfirmCodes();

/** The list of tools for these settings, from a listing that is computed once for all settings. */
function listed(settings: Record<string, string>): readonly ReturnType<typeof describeTool>[] {
  const { app } = openProgram({ ACADEMY_BASE_URL: 'http://127.0.0.1:9', ...settings });
  return app.serviceFor(fullPrincipal('test'), { hasUserContent: false }).lists.tools;
}

/** The list from the definitions as they are called: each schema is converted with its argument `confirm`. */
function defined(policy: ConfirmPolicy, lockdown: boolean, isIncluded: (tool: (typeof tools)[number]) => boolean) {
  return tools.filter(isIncluded).map((tool) => describeTool(withConfirmation(tool, { policy, codes, lockdown })));
}

const choices = [
  { settings: {}, isIncluded: () => true },
  { settings: { ACADEMY_READ_ONLY: 'true' }, isIncluded: ({ effect }: { effect: string }) => effect === 'read' },
  {
    settings: { ACADEMY_TOOLSETS: 'access,insights' },
    isIncluded: ({ toolset }: { toolset: string }) => ['access', 'insights'].includes(toolset),
  },
];

const variants = confirmPolicies.flatMap((policy) => [true, false].map((lockdown) => ({ policy, lockdown })));

test.for(variants)('under $policy (lockdown: $lockdown), the list is what the definitions take', (variant) => {
  const { policy, lockdown } = variant;
  for (const { settings, isIncluded } of choices) {
    const all = { ...settings, ACADEMY_CONFIRM: policy, ACADEMY_LOCKDOWN: String(lockdown) };
    const list = listed({ ...all, ACADEMY_REQUIRE_INTERACTION: 'on' });
    expect(JSON.stringify(list)).toBe(JSON.stringify(defined(policy, lockdown, isIncluded)));
  }
});
