import { account } from '../../../contract/account.ts';
import { capabilityNames } from '../../../contract/capabilities.ts';
import { isObject } from '../../../shared/json.ts';
import type { Assumption, Row, Seen } from '../assumption.ts';
import { fieldDifferences } from '../field-differences.ts';
import { asCurrency } from '../value-checks.ts';
import { differencesIn, differs, holds } from '../value-shapes.ts';

function accountOf({ account: body }: Seen): Row | undefined {
  if (body === undefined) return undefined;
  return isObject(body.account) ? body.account : {};
}

export const accountAssumptions: readonly Assumption[] = [
  {
    id: 'account.fields',
    assumed: 'The account has the documented fields with the documented types.',
    silent: 'Account: documented',
    otherwise: 'read: what is missing is left out of answers',
    costs: 'answers leave these fields out',
    check: (seen) => {
      const row = accountOf(seen);
      return row && fieldDifferences(account, [row], ['currency', 'subscription_plan']);
    },
  },
  {
    id: 'account.plan',
    assumed: '`subscription_plan` contains "academy" on the academy plan, and only there.',
    silent: 'Account, Limits: names of plans not shown',
    otherwise: 'read: 60 requests a minute are assumed',
    costs: 'an academy plan is used at a fifth of its speed; set ACADEMY_RATE_LIMIT=300',
    check: (seen) => {
      const row = accountOf(seen);
      if (row === undefined) return undefined;
      return typeof row.subscription_plan === 'string' ? holds : differs('the plan is not shown');
    },
  },
  {
    id: 'account.currency',
    assumed: 'A currency is a code of three letters.',
    silent: 'Account: "currency code", standard not named',
    otherwise: 'read: shown as it is',
    costs: 'prices have no known currency',
    check: (seen) => {
      const row = accountOf(seen);
      return row && differencesIn([row.currency], asCurrency);
    },
  },
  {
    id: 'account.capabilities',
    assumed: 'Each documented capability is true or false.',
    silent: 'Capabilities: documented; which endpoint needs which is not shown',
    otherwise: 'cannot tell: a 403 is not explained by a capability',
    costs: 'a refusal does not say that the account lacks the capability',
    check: ({ account: body }) => {
      if (body === undefined) return undefined;
      if (!isObject(body.capabilities)) return differs('no capabilities are shown');
      const listed: Row = body.capabilities;
      const missing = capabilityNames.filter((name) => typeof listed[name] !== 'boolean');
      return missing.length === 0 ? holds : differs(`not shown: ${missing.join(', ')}`);
    },
  },
];
