import type { Guard } from './guard.ts';

const argument = ['test/accounts/account-argument.test.ts'];
const callers = ['test/accounts/callers.test.ts'];
const isolation = ['test/accounts/isolation.test.ts'];
const file = ['test/accounts/accounts-file.test.ts'];

/** What separates the accounts of one server. */
export const accountGuards: readonly Guard[] = [
  {
    name: 'a call without an account of its caller is refused',
    file: 'src/accounts/account-argument.ts',
    text: "typeof account === 'string' && names.includes(account)",
    instead: "typeof account === 'string'",
    tests: argument,
    only: 'without an account',
  },
  {
    name: 'a token opens only the accounts of its entry',
    file: 'src/server/http/auth/static-tokens.ts',
    text: 'hash(token)}`, accounts)',
    instead: 'hash(token)}`)',
    tests: argument,
    only: 'with one account',
  },
  {
    name: 'an OAuth token opens only the accounts that it names',
    file: 'src/server/http/auth/oauth.ts',
    text: 'names.filter((name) => found.includes(name))',
    instead: 'found.length > 0 ? [...names] : []',
    tests: callers,
    only: 'an OAuth token opens',
  },
  {
    name: 'an OAuth token without an account is refused',
    file: 'src/server/http/auth/oauth.ts',
    text: 'if (accounts.length > 0) return { ...principal, accounts };',
    instead: 'return { ...principal, accounts };',
    tests: callers,
    only: 'names no account is refused',
  },
  {
    name: 'a token with other accounts cannot use a session',
    file: 'src/protocol/legacy/sessions.ts',
    text: ' && one.accounts?.join() === other.accounts?.join()',
    instead: '',
    tests: callers,
    only: 'a session stays',
  },
  {
    name: 'a call goes to the account that it names',
    file: 'src/accounts/accounts.ts',
    text: 'names === undefined || names.includes(name)',
    instead: 'name',
    tests: argument,
    only: 'a call goes to',
  },
  {
    name: 'a cursor belongs to one account',
    file: 'src/shared/cursor.ts',
    text: 'account === undefined ? scope',
    instead: 'account !== null ? scope',
    tests: isolation,
    only: 'a cursor of one account',
  },
  {
    name: 'an answer shows no key of another account',
    file: 'src/accounts/accounts-app.ts',
    text: 'account, secrets, running',
    instead: 'account, running',
    tests: isolation,
    only: 'never shows the key',
  },
  {
    name: 'the question about a write names its account',
    file: 'src/mcp/confirmation/consent-request.ts',
    text: 'lines: [...accountLines(context), ',
    instead: 'lines: [',
    tests: callers,
    only: 'what a person consents to',
  },
  {
    name: 'the title of an account is its name',
    file: 'src/front.ts',
    text: 'return account ?? ',
    instead: 'return ',
    tests: argument,
    only: 'the title names',
  },
  {
    name: 'two accounts do not share an address',
    file: 'src/accounts/account-names.ts',
    text: '...(sameAddress === undefined',
    instead: '...(sameAddress !== null',
    tests: file,
    only: 'a file that is wrong',
  },
  {
    name: 'a server that is read-only has no account that writes',
    file: 'src/accounts/load-accounts.ts',
    text: 'server.readOnly || entry.read_only === true',
    instead: 'entry.read_only ?? server.readOnly',
    tests: file,
    only: 'restrictions of the program',
  },
  {
    name: 'a key is never in the accounts file',
    file: 'src/accounts/accounts-file.ts',
    text: 'if (secret !== undefined)',
    instead: 'if (secret === null)',
    tests: file,
    only: 'a file that is wrong',
  },
];
