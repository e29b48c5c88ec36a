import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join, parse, resolve } from 'node:path';
import * as z from 'zod';
import { didYouMean } from '../config/closest-match.ts';
import { type Config, loadConfig, withHiddenSecrets } from '../config/load.ts';
import { isExampleAddress, isExampleKey, isPlaceholder, placeholderProblem } from '../config/placeholders.ts';
import { fileVariableOf } from '../config/setting.ts';
import { type Environment, readSecretFile, type SettingSources } from '../config/setting-sources.ts';
import { settings } from '../config/settings.ts';
import {
  apiKey,
  apiLimit,
  baseUrl,
  fraction,
  oneOf,
  timeZone,
  token,
  toolsetList,
  webhookSecrets,
} from '../config/value-schemas.ts';
import { confirmPolicies } from '../mcp/confirmation/policy.ts';
import { SettingsError } from '../shared/errors.ts';
import { isLoopback } from '../shared/loopback.ts';
import type { Accounts, CallerToken } from './several-accounts.ts';

/** Names are in addresses of resources, labels of metrics and the audit log, so they have no other characters. */
export const plainName = z
  .string('must be a name')
  .regex(
    /^[a-z0-9][a-z0-9_-]{0,39}$/,
    'must be 1 to 40 lower-case letters, digits, hyphens or underscores, and start with a letter or digit',
  );

interface Named {
  readonly accounts: readonly { readonly name: string; readonly base_url: URL }[];
  readonly callers: readonly { readonly accounts: readonly string[] }[];
}

type Issue = z.core.$ZodRawIssue;

function problem(path: PropertyKey[], message: string, input: unknown): Issue {
  return { code: 'custom', path, message, input };
}

/** An address without the differences that lead to the same academy. */
function addressOf({ origin, pathname }: URL): string {
  return origin + pathname.replace(/\/+$/, '');
}

/** Two accounts of one address would each use its whole request limit. */
function duplicates({ accounts }: Named): Issue[] {
  return accounts.flatMap(({ name, base_url }, index) => {
    const before = accounts.slice(0, index);
    const isNameTaken = before.some((other) => other.name === name);
    const sameAddress = before.find((other) => addressOf(other.base_url) === addressOf(base_url));
    return [
      ...(isNameTaken ? [problem(['accounts', index, 'name'], `is used twice: ${name}`, name)] : []),
      ...(sameAddress === undefined
        ? []
        : [problem(['accounts', index, 'base_url'], `is also the address of ${sameAddress.name}`, base_url.href)]),
    ];
  });
}

function unknownNames({ accounts, callers }: Named): Issue[] {
  const names = accounts.map(({ name }) => name);
  return callers.flatMap((caller, index) =>
    caller.accounts.flatMap((name, place) =>
      names.includes(name)
        ? []
        : [problem(['callers', index, 'accounts', place], `names no account${didYouMean(name, names)}`, name)],
    ),
  );
}

// Each field of an account has the name and the values of the setting ACADEMY_<FIELD>. A message continues the sentence
// that starts with the path of the field.

/** A value that a person may write as a number, read as the text of its setting. */
const asText = <Schema extends z.ZodType<unknown, string>>(schema: Schema) =>
  z.union([z.string(), z.number()], 'must be text or a number').transform(String).pipe(schema);

const variable = z.string('must be the name of a variable').regex(/^[A-Za-z_]\w*$/, 'must be the name of a variable');
const file = z.string('must be the path of a file').min(1, 'must be the path of a file');

/** Secrets are never in the file, only the variable or the file that has one. */
const secretFields = new Set(['api_key', 'key', 'token', 'secret', 'webhook_secret']);

function strict<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape, {
    error: (issue) => {
      if (issue.code !== 'unrecognized_keys') return 'must be an object';
      const secret = issue.keys.find((key) => secretFields.has(key));
      if (secret !== undefined)
        return `must not contain ${secret}: name a variable (_env) or a file (_file) that has it`;
      return `must not have the field ${issue.keys.join(', ')}; the fields are ${Object.keys(shape).join(', ')}`;
    },
  });
}

type Payload = z.core.ParsePayload<Record<string, unknown>>;

/** Exactly one of `<name>_env` and `<name>_file`, or at most one if it is optional. */
function refuseTwoSources(name: string, context: Payload, isOptional = false): void {
  const given = [`${name}_env`, `${name}_file`].filter((field) => context.value[field] !== undefined);
  if (given.length === 1 || (isOptional && given.length === 0)) return;
  const message = isOptional
    ? `must not have both ${name}_env and ${name}_file`
    : `must have either ${name}_env or ${name}_file`;
  context.issues.push({ code: 'custom', message, input: context.value });
}

const account = strict({
  name: plainName,
  base_url: z
    .string('must be a URL such as https://academy.example.com')
    .pipe(baseUrl)
    .refine((url) => !isExampleAddress(url), 'is still the address of an example'),
  api_key_env: variable.optional(),
  api_key_file: file.optional(),
  auth_scheme: oneOf(['bearer', 'token']).optional(),
  rate_limit: asText(apiLimit).optional(),
  rate_share: asText(fraction).optional(),
  timezone: timeZone.optional(),
  toolsets: z
    .array(z.string('must be the name of a toolset'), 'must be a list of toolsets')
    .min(1, 'must be a list of toolsets')
    .transform((names) => names.join(','))
    .pipe(toolsetList)
    .optional(),
  read_only: z.boolean('must be true or false').optional(),
  confirm: oneOf(confirmPolicies).optional(),
  webhook_secret_env: variable.optional(),
  webhook_secret_file: file.optional(),
  events_file: file.optional(),
})
  .check((context) => refuseTwoSources('api_key', context))
  .check((context) => refuseTwoSources('webhook_secret', context, true))
  .refine(({ rate_limit, base_url }) => rate_limit !== 'off' || isLoopback(base_url), {
    path: ['rate_limit'],
    message: 'must not be off for an academy on another machine',
  });

const caller = strict({
  name: z
    .string('must be a name')
    .regex(/^[a-z0-9-]{1,32}$/, 'must have at most 32 characters: lower-case letters, digits and -')
    .optional(),
  token_env: variable.optional(),
  token_file: file.optional(),
  accounts: z
    .array(z.string('must be the name of an account'), 'must be a list of accounts')
    .min(1, 'must name at least one account'),
}).check((context) => refuseTwoSources('token', context));

const accountsFile = strict({
  accounts: z.array(account, 'must be a list of accounts').min(1, 'must have at least one account'),
  callers: z.array(caller, 'must be a list of callers').default([]),
  oauth_claim: z
    .string('must be the name of a claim')
    .min(1, 'must be the name of a claim')
    .default('academy_accounts'),
}).check((context) => void context.issues.push(...duplicates(context.value), ...unknownNames(context.value)));

export type AccountsFile = z.output<typeof accountsFile>;
export type AccountEntry = AccountsFile['accounts'][number];

/** `accounts[1].timezone must be …`; the file itself has no path. */
function describe({ path, message }: z.core.$ZodIssue): string {
  const place = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`)).join('');
  return `${place.replace(/^\./, '')} ${message}`.trim();
}

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    throw new SettingsError(`${path} is not JSON`);
  }
}

/** Parses an accounts file. Throws `SettingsError` that names the file, the field and the problem. */
export function parseAccountsFile(text: string, path: string): AccountsFile {
  const parsed = accountsFile.safeParse(parseJson(text, path));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new SettingsError(`${path}: ${issue === undefined ? 'it is invalid' : describe(issue)}`);
}

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

/** Restrictions add up; every other field replaces the setting of the program. Without `webhook`, it is derived from theirs. */
function accountConfig(
  server: Config,
  entry: AccountEntry,
  secrets: { readonly key: string; readonly webhook: readonly string[] | undefined },
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
