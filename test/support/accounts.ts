import { writeFile } from 'node:fs/promises';
import { openAcademy } from '../../src/cli/open-academy.ts';
import type { SandboxOptions } from '../../src/sandbox/index.ts';
import { type EraClient, eras, type Person } from './eras.ts';
import { postEvent } from './events.ts';
import { serve } from './http-server.ts';
import { start, temporaryFile } from './sandbox.ts';

/** The names of the accounts in tests. Each has its own key, data and address. */
export const names = ['north', 'south'] as const;
export type Name = (typeof names)[number];

/** Tokens of three callers: of both accounts and of one each. */
export const tokens = {
  both: 'token-of-both-accounts-0001',
  north: 'token-of-north-alone-000001',
  south: 'token-of-south-alone-000001',
};

export const keyOf = (name: Name) => `key-of-the-academy-${name}`;

interface FileOptions {
  /** The address of an account; default: its sandbox. */
  addresses?: Partial<Record<Name, string>>;
  /** More fields of an account. */
  fields?: Partial<Record<Name, object>>;
  callers?: object[];
  /** More accounts than the two. */
  more?: (addressOf: (name: Name) => string) => object[];
}

export const variables = {
  ACADEMY_KEY_NORTH: keyOf('north'),
  ACADEMY_KEY_SOUTH: keyOf('south'),
  TOKEN_BOTH: tokens.both,
  TOKEN_NORTH: tokens.north,
  TOKEN_SOUTH: tokens.south,
};

const allCallers = [
  { token_env: 'TOKEN_BOTH', accounts: ['north', 'south'] },
  { token_env: 'TOKEN_NORTH', accounts: ['north'] },
  { token_env: 'TOKEN_SOUTH', accounts: ['south'] },
];

/** One sandbox with both accounts. */
export async function startBoth(options: SandboxOptions = {}) {
  const accounts = names.map((name) => ({ subdomain: name, apiKeys: [keyOf(name)], studentKeys: [] }));
  const sandbox = await start({ students: 30, orders: 80, accounts, ...options });
  const addressOf = (name: Name) => `${sandbox.url}/${name}`;
  return { sandbox, addressOf };
}

/** Writes an accounts file for both accounts, and returns its path. */
export async function writeAccounts(
  addressOf: (name: Name) => string,
  { addresses = {}, fields = {}, callers = allCallers, more = () => [] }: FileOptions = {},
): Promise<string> {
  const file = await temporaryFile('accounts.json');
  const accounts = names.map((name) => ({
    name,
    base_url: addresses[name] ?? addressOf(name),
    api_key_env: `ACADEMY_KEY_${name.toUpperCase()}`,
    ...fields[name],
  }));
  await writeFile(file, JSON.stringify({ accounts: [...accounts, ...more(addressOf)], callers }));
  return file;
}

export interface AccountsOptions extends FileOptions {
  settings?: Record<string, string>;
  stateless?: boolean;
  sandbox?: SandboxOptions;
  /** Multiplies the pauses between checks of events. With 1, no event is discarded while a test looks at it. */
  pace?: number;
}

/** The real server over HTTP for both accounts, as the command line starts it. */
export async function startAccounts({
  settings = {},
  stateless = false,
  pace = 0.02,
  ...options
}: AccountsOptions = {}) {
  const both = await startBoth(options.sandbox);
  const file = await writeAccounts(both.addressOf, options);
  const environment = {
    ACADEMY_ACCOUNTS_FILE: file,
    ACADEMY_RATE_LIMIT: 'off',
    ACADEMY_HTTP_RATE_LIMIT: 'off',
    LOG_LEVEL: 'debug',
    ...variables,
    ...settings,
  };
  const { config, accounts } = await openAcademy({ flags: {}, environment, command: 'http' }, false);
  if (accounts === undefined) throw new Error('there is no accounts file');
  const server = await serve({ config, accounts, stateless, apiPace: pace });
  const secretOf = (name: string) =>
    accounts.list.find((account) => account.name === name)?.config.webhookSecret[0] ?? '';
  /** What the platform of an account does when something happens. */
  const postTo = (name: string, event: string, body: unknown, secret = secretOf(name)) =>
    postEvent(server.origin, event, body, { account: name, secret });
  return { ...both, ...server, file, secretOf, postTo };
}

/** A real client of the server: of 2025-11-25 or, if `isModern`, of 2026-07-28. */
export async function connectTo(
  url: string,
  token: string | undefined,
  { person, isModern = false }: { person?: Person; isModern?: boolean } = {},
): Promise<EraClient> {
  const era = eras.find(({ version }) => (version === '2026-07-28') === isModern);
  if (era === undefined) throw new Error('there is no such era');
  return await era.connect({ url, token }, person);
}

/** The text of an answer. */
export function textOf({ content }: { content: readonly { text?: string }[] }): string {
  return content.map(({ text = '' }) => text).join('\n');
}
