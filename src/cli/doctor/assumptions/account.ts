import { account } from '../../../contract/account.ts';
import { capabilityNames } from '../../../contract/capabilities.ts';
import { isObject } from '../../../shared/json.ts';
import type { Assumption, JsonRecord } from '../assumption.ts';
import { fieldDifferences } from '../field-differences.ts';
import { differencesIn, differs, holds } from '../mask-value.ts';
import { checkCurrency } from '../value-checks.ts';

type Check = Assumption['check'];

/** A check of the account record. */
function ofAccount(check: (account: JsonRecord) => ReturnType<Check>): Check {
  return ({ account: body }) => body && check(isObject(body.account) ? body.account : {});
}

export const accountAssumptions: readonly Assumption[] = [
  {
    id: 'account.fields',
    statement: 'The account has the documented fields with the documented types.',
    undocumented: 'Account: documented',
    fallback: 'read: answers leave out missing fields',
    impact: 'answers leave out these fields',
    check: ofAccount((row) => fieldDifferences(account, [row], ['currency', 'subscription_plan'])),
  },
  {
    id: 'account.plan',
    statement: '`subscription_plan` contains "academy" on the academy plan, and on no other.',
    undocumented: 'Account, Limits: names of plans not shown',
    fallback: 'read: 60 requests a minute are assumed',
    impact: 'the program uses a fifth of the rate limit of an academy plan; set ACADEMY_RATE_LIMIT=300',
    check: ofAccount((row) => (typeof row.subscription_plan === 'string' ? holds : differs('the plan is not shown'))),
  },
  {
    id: 'account.currency',
    statement: 'A currency is a code of three letters.',
    undocumented: 'Account: "currency code", standard not named',
    fallback: 'read: shown unchanged',
    impact: 'the currency of prices is unknown',
    check: ofAccount((row) => differencesIn([row.currency], checkCurrency)),
  },
  {
    id: 'account.capabilities',
    statement: 'Each documented capability is true or false.',
    undocumented: 'Capabilities: documented; which endpoint needs which one is not shown',
    fallback: 'cannot tell: no capability explains a 403',
    impact: 'a 403 error does not say that the account lacks the capability',
    check: ({ account: body }) => {
      if (body === undefined) return undefined;
      if (!isObject(body.capabilities)) return differs('no capabilities are shown');
      const listed: JsonRecord = body.capabilities;
      const missing = capabilityNames.filter((name) => typeof listed[name] !== 'boolean');
      return missing.length === 0 ? holds : differs(`not shown: ${missing.join(', ')}`);
    },
  },
];
