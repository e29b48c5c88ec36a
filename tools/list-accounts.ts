import * as z from 'zod';
import type { AccountLister } from '../src/mcp/catalog.ts';
import { counted } from '../src/mcp/output/text-format.ts';
import { toolsets } from '../src/mcp/principal.ts';
import { withCut } from '../src/mcp/tool.ts';

const account = z.looseObject({
  name: z.string().describe('Value of the argument account'),
  timezone: z.string().describe('IANA time zone of days and weeks'),
  read_only: z.boolean(),
  toolsets: z.array(z.enum(toolsets)).optional().describe('Only these groups of tools; all when missing'),
});

/** Listed only if a caller may use several accounts. Unlike every tool, it needs no account and sends no request. */
export const listAccounts: AccountLister = {
  name: 'list_accounts',
  toolset: 'account',
  title: 'List the accounts',
  description:
    'Lists the academies that this connection can use, each with the name that every other tool takes as account, its time zone, whether it is read-only and its toolsets. For the plan and the features of one use get_account.',
  cost: { once: 0 },
  effect: 'read',
  alwaysLoad: true,
  input: z.strictObject({}),
  output: z.looseObject({ accounts: z.array(account), cut: z.string().optional() }),
  present: (accounts) =>
    withCut(
      (most) => ({ summary: `${counted(accounts.length, 'account')}.`, data: { accounts: accounts.slice(0, most) } }),
      accounts.length,
      'the schema of the argument account has every name',
    ),
};
