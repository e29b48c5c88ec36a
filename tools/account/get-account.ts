import * as z from 'zod';
import * as contract from '../../src/contract/account.ts';
import { defineApiTool } from '../../src/mcp/define-api-tool.ts';
import { recordOutput } from '../../src/mcp/output/output-schemas.ts';
import { sanitizeRecord } from '../../src/mcp/output/sanitize.ts';

/** Names of the capabilities that are on or off. A value that is no boolean stays under its own name. */
function split(capabilities: Record<string, unknown>) {
  const names = (wanted: boolean) => Object.keys(capabilities).filter((name) => capabilities[name] === wanted);
  const others = Object.entries(capabilities).filter(([, value]) => typeof value !== 'boolean');
  return {
    capabilities_on: names(true),
    capabilities_off: names(false),
    ...(others.length > 0 ? { capabilities: Object.fromEntries(others) } : {}),
  };
}

export const getAccount = defineApiTool({
  name: 'get_account',
  toolset: 'account',
  title: 'Get the account',
  description:
    'Shows the account of our academy (school, site): plan (its request limit), currency, address, features, webhook events, and what this API key may do (capabilities_on, capabilities_off).',
  example: {},
  operation: contract.getAccount,
  output: recordOutput({
    account: recordOutput(contract.account.shape),
    capabilities_on: z.array(z.string()),
    capabilities_off: z.array(z.string()),
    webhook_events: z.array(z.string()),
  }),
  present: ({ capabilities = {}, ...rest }) => {
    const { account, ...others } = sanitizeRecord(contract.getAccount.response.schema, rest);
    const data = { account, ...split(capabilities), ...others };
    return { summary: 'The account.', data };
  },
});
