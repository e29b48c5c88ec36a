import * as z from 'zod';
import type { AccountFacts, AccountLister } from '../src/mcp/catalog.ts';
import { toolsets } from '../src/mcp/principal.ts';

const account = z.looseObject({
  name: z.string().describe('Value of the argument account'),
  timezone: z.string().describe('IANA time zone of days and weeks'),
  read_only: z.boolean(),
  toolsets: z.array(z.enum(toolsets)).optional().describe('Only these groups of tools; all when missing'),
});

function summaryOf(accounts: readonly AccountFacts[]): string {
  return `${accounts.length} account${accounts.length === 1 ? '' : 's'}.`;
}

/** Listed only if a caller may use several accounts. Unlike every tool, it needs no account and sends no request. */
export const listAccounts: AccountLister = {
  name: 'list_accounts',
  toolset: 'account',
  title: 'List the accounts',
  description:
    'Lists the academies that this connection can use, each with the name that every other tool takes as account, its time zone, whether it is read-only and its toolsets. For the plan and the features of one use get_account.',
  cost: { requests: 0 },
  effect: 'read',
  alwaysLoad: true,
  repeat: 'safe',
  input: z.strictObject({}),
  output: z.looseObject({ accounts: z.array(account), cut: z.string().optional() }),
  present: (accounts) => ({
    summary: summaryOf(accounts),
    data: { accounts },
    cut: {
      records: accounts.length,
      to: (most) => ({
        summary: summaryOf(accounts),
        data: { accounts: accounts.slice(0, most) },
        shown: most,
        how: 'the schema of the argument account has every name',
      }),
    },
  }),
};
