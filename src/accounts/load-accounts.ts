import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join, parse, resolve } from 'node:path';
import type * as z from 'zod';
import { type Config, loadConfig, withHiddenSecrets } from '../config/load.ts';
import { isExampleKey, isPlaceholder, placeholderProblem } from '../config/placeholders.ts';
import { fileVariableOf } from '../config/setting.ts';
import type { Environment, SettingSources } from '../config/setting-sources.ts';
import { readSecretFile } from '../config/setting-sources.ts';
import { settings } from '../config/settings.ts';
import { apiKey, token, webhookSecrets } from '../config/value-schemas.ts';
import { SettingsError } from '../shared/errors.ts';
import { isLoopback } from '../shared/loopback.ts';
import type { Accounts, CallerToken } from './accounts.ts';
import { type AccountEntry, type AccountsFile, parseAccountsFile } from './accounts-file.ts';

interface SecretReference {
  /** The fields that name the secret, for errors. */
  readonly place: string;
  readonly env: string | undefined;
  readonly file: string | undefined;
}

/** Reads a secret that the accounts file names. Throws `SettingsError`, which never has the secret. */
function readSecret<Value>(
  { place, env, file }: SecretReference,
  schema: z.ZodType<Value>,
  folder: string,
  environment: Environment,
): Value {
  const source = env === undefined ? `${place}_file` : `${place}_env: ${env}`;
  const text = file === undefined ? environment[env ?? ''] : readSecretFile(resolve(folder, file), source);
  if (text === undefined || text === '') throw new SettingsError(`${source} is not set`);
  const parsed = schema.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new SettingsError(`${source} ${parsed.error.issues[0]?.message ?? 'is invalid'}`);
}

/** The tokens of all callers. Throws `SettingsError` for a missing, wrong or repeated one. */
export function readCallers({ callers }: AccountsFile, path: string, environment: Environment): CallerToken[] {
  const seen = new Map<string, string>();
  return callers.map(({ name, token_env: env, token_file: file, accounts }, index) => {
    const place = `${path}: callers[${index}].token`;
    const value = readSecret({ place, env, file }, token, dirname(path), environment);
    const other = seen.get(value);
    if (other !== undefined) throw new SettingsError(`${place} is the same as ${other}`);
    seen.set(value, `callers[${index}].token`);
    return { name, token: value, accounts };
  });
}

/** The keys of all accounts, in the order of the file. Throws `SettingsError` for a missing or wrong one. */
export function readKeys({ accounts }: AccountsFile, path: string, environment: Environment): string[] {
  return accounts.map(({ api_key_env: env, api_key_file: file }, index) => {
    const place = `${path}: accounts[${index}].api_key`;
    const key = readSecret({ place, env, file }, apiKey, dirname(path), environment);
    if (isExampleKey(key)) throw new SettingsError(`${place} is still the placeholder of an example`);
    return key;
  });
}

/**
 * The secrets in the webhook addresses of each account, in the order of the file. Undefined for an account that names none.
 * `isNeeded`: whether this program receives webhooks. Throws `SettingsError` for a missing, wrong or repeated one.
 */
export function readWebhookSecrets(
  { accounts }: AccountsFile,
  path: string,
  environment: Environment,
  isNeeded: boolean,
): (readonly string[] | undefined)[] {
  const seen = new Map<string, string>();
  return accounts.map(({ webhook_secret_env: env, webhook_secret_file: file }, index) => {
    const isSet = file !== undefined || (env !== undefined && (isNeeded || (environment[env] ?? '') !== ''));
    if (!isSet) return undefined;
    const place = `${path}: accounts[${index}].webhook_secret`;
    const secrets = readSecret({ place, env, file }, webhookSecrets, dirname(path), environment);
    const same = secrets.map((secret) => seen.get(secret)).find((found) => found !== undefined);
    // Whoever knows an address of one account would know those of the other.
    if (same !== undefined) throw new SettingsError(`${place} is the same as ${same}`);
    for (const secret of secrets) seen.set(secret, `accounts[${index}].webhook_secret`);
    return secrets;
  });
}

/** Settings that the accounts file replaces. */
const replaced = [settings.baseUrl, settings.apiKey, settings.httpTokens];

function refuseReplaced({ flags, environment }: SettingSources): void {
  if (flags.baseUrl !== undefined) refuseBeside('--base-url');
  const variables = replaced.flatMap((setting) => [setting.env, fileVariableOf(setting) ?? setting.env]);
  const given = variables.find((name) => (environment[name] ?? '') !== '');
  if (given !== undefined) refuseBeside(given);
}

function refuseBeside(source: string): never {
  const hint = 'The accounts file has the address, key and tokens of every account: leave this one out.';
  throw new SettingsError(`${source} cannot be set together with ACADEMY_ACCOUNTS_FILE`, hint);
}

function readAccountsFile(path: string): AccountsFile {
  if (isPlaceholder(path)) throw new SettingsError(`ACADEMY_ACCOUNTS_FILE ${placeholderProblem}`);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    throw new SettingsError(`ACADEMY_ACCOUNTS_FILE: ${path} cannot be read (${code})`);
  }
  return parseAccountsFile(text, path);
}

/** The secrets of one account, read from where its fields name them. */
interface AccountSecrets {
  readonly key: string;
  /** Undefined: derived from those of the program. */
  readonly webhook: readonly string[] | undefined;
}

/** A file beside that of the program, so that a flood of events at one account pushes out no event of another. */
function accountFile(file: string, name: string): string {
  const { dir, name: stem, ext } = parse(file);
  return join(dir, `${stem}.${name}${ext}`);
}

function eventSettings(
  { webhookSecret, eventsFile }: Config,
  { name, events_file: own }: AccountEntry,
  secrets: readonly string[] | undefined,
  folder: string,
): Pick<Config, 'webhookSecret' | 'eventsFile'> {
  return {
    webhookSecret: [...(secrets ?? webhookSecret.map((secret) => accountSecret(secret, name)))],
    eventsFile: own === undefined ? eventsFile && accountFile(eventsFile, name) : resolve(folder, own),
  };
}

/** Restrictions add up; every other field replaces the setting of the program. */
function accountConfig(
  server: Config,
  entry: AccountEntry,
  secrets: AccountSecrets,
  path: string,
  place: string,
): Config {
  const { toolsets = server.toolsets, rate_limit: rateLimit = server.rateLimit } = entry;
  const allowed = toolsets?.filter((name) => server.toolsets === undefined || server.toolsets.includes(name));
  if (allowed?.length === 0) throw new SettingsError(`${place}.toolsets has none of those of ACADEMY_TOOLSETS`);
  if (rateLimit === 'off' && !isLoopback(entry.base_url)) {
    throw new SettingsError(`${place}.rate_limit must be set, since ACADEMY_RATE_LIMIT=off is only for this machine`);
  }
  return withHiddenSecrets({
    ...server,
    baseUrl: entry.base_url,
    ...eventSettings(server, entry, secrets.webhook, dirname(path)),
    apiKey: secrets.key,
    authScheme: entry.auth_scheme ?? server.authScheme,
    rateLimit,
    rateShare: entry.rate_share ?? server.rateShare,
    timezone: entry.timezone ?? server.timezone,
    toolsets: allowed,
    readOnly: server.readOnly || entry.read_only === true,
    confirm: entry.confirm ?? server.confirm,
    confirmSecret: server.confirmSecret && accountSecret(server.confirmSecret, entry.name),
  });
}

/** A secret of its own, so that codes, cursors, hashes and webhook addresses of one account are of no use with another. */
function accountSecret(secret: string, name: string): string {
  return createHmac('sha256', secret).update(`academy-mcp account ${name}`).digest('hex');
}

/** Variables that the file names. */
function variablesOf({ accounts, callers }: AccountsFile): string[] {
  const ofAccounts = accounts.flatMap(({ api_key_env, webhook_secret_env }) => [api_key_env, webhook_secret_env]);
  const named = [...ofAccounts, ...callers.map(({ token_env }) => token_env)];
  return named.filter((name) => name !== undefined);
}

/** The settings of the program itself, and its accounts. */
export interface LoadedAccounts {
  /** Address and key are those of the first account; `httpTokens` are the tokens of all callers. */
  readonly config: Config;
  readonly accounts: Accounts;
}

/**
 * Reads an accounts file, the secrets that it names and all other settings. Throws `SettingsError`, which names the file
 * and the field.
 */
export function loadAccounts(path: string, sources: SettingSources): LoadedAccounts {
  const { flags, environment, command } = sources;
  refuseReplaced(sources);
  const file = readAccountsFile(path);
  const keys = readKeys(file, path, environment);
  const webhooks = readWebhookSecrets(file, path, environment, command === 'http');
  // Only HTTP has callers: a client on stdin and stdout needs no token.
  const callers = command === 'http' ? readCallers(file, path, environment) : [];
  const first = { baseUrl: file.accounts[0]?.base_url.href, apiKey: keys[0] };
  const server = loadConfig({ ...flags, ...defined(first) }, environment, command, variablesOf(file));
  const config = withHiddenSecrets({ ...server, httpTokens: callers });
  const list = file.accounts.map((entry, index) => {
    const secrets = { key: keys[index] ?? '', webhook: webhooks[index] };
    return { name: entry.name, config: accountConfig(config, entry, secrets, path, `${path}: accounts[${index}]`) };
  });
  return { config, accounts: { list, callers, oauthClaim: file.oauth_claim } };
}

function defined<Values extends object>(values: Values) {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
