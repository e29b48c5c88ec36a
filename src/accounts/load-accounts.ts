import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join, parse, resolve } from 'node:path';
import * as z from 'zod';
import {
  type Config,
  type Environment,
  isExampleAddress,
  isPlaceholder,
  loadConfig,
  placeholderProblem,
  readSecretFile,
  type SettingSources,
  withHiddenSecrets,
} from '../config/load.ts';
import { fileVariableOf, settings } from '../config/settings.ts';
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
import type { Json } from '../shared/json.ts';
import { isLoopback } from '../shared/loopback.ts';
import { didYouMean } from '../shared/similar-words.ts';

/** Names are in addresses of resources, labels of metrics and the audit log, so they have no other characters. */
export const plainName = z
  .string('must be a name')
  .regex(
    /^[a-z0-9][a-z0-9_-]{0,39}$/,
    'must be 1 to 40 lower-case letters, digits, hyphens or underscores, and start with a letter or digit',
  );

// Each field is named as the setting ACADEMY_<FIELD>. A message continues the sentence that starts with the field's path.

/** A value that a person may write as a number, read as the text of its setting. */
const asText = <Schema extends z.ZodType<unknown, string>>(schema: Schema) =>
  z.union([z.string(), z.number()], 'must be text or a number').transform(String).pipe(schema);

const text = (message: string) => z.string(message).min(1, message);
const file = text('must be the path of a file').optional();
const variable = text('must be the name of a variable')
  .regex(/^[A-Za-z_]\w*$/, 'must be the name of a variable')
  .optional();

/** Secrets are never in the file, only the variable or the file that has one: an unknown field is refused. */
function strict<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape, {
    error: (issue) => {
      if (issue.code !== 'unrecognized_keys') return 'must be an object';
      return `must not have the field ${issue.keys.join(', ')}; the fields are ${Object.keys(shape).join(', ')}`;
    },
  });
}

/** Exactly one of `<name>_env` and `<name>_file`, or at most one if it is optional. */
function refuseTwoSources(name: string, context: z.core.ParsePayload<Json>, isOptional = false): void {
  const present = [`${name}_env`, `${name}_file`].filter((field) => context.value[field] !== undefined);
  if (present.length === 1 || (isOptional && present.length === 0)) return;
  const message = `must have ${isOptional ? 'only' : 'either'} ${name}_env or ${name}_file`;
  context.issues.push({ code: 'custom', message, input: context.value });
}

const account = strict({
  name: plainName,
  base_url: z
    .string('must be a URL such as https://academy.example.com')
    .pipe(baseUrl)
    .refine((url) => !isExampleAddress(url), 'is still the address of an example'),
  api_key_env: variable,
  api_key_file: file,
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
  webhook_secret_env: variable,
  webhook_secret_file: file,
})
  .check((context) => refuseTwoSources('api_key', context))
  .check((context) => refuseTwoSources('webhook_secret', context, true));

const caller = strict({
  name: z
    .string('must be a name')
    .regex(/^[a-z0-9-]{1,32}$/, 'must have at most 32 characters: lower-case letters, digits and -')
    .optional(),
  token_env: variable,
  token_file: file,
  accounts: z
    .array(z.string('must be the name of an account'), 'must be a list of accounts')
    .min(1, 'must name at least one account'),
}).check((context) => refuseTwoSources('token', context));

const accountsFile = strict({
  accounts: z.array(account, 'must be a list of accounts').min(1, 'must have at least one account'),
  callers: z.array(caller, 'must be a list of callers').default([]),
  oauth_claim: text('must be the name of a claim').default('academy_accounts'),
});

type AccountsFile = z.output<typeof accountsFile>;
type AccountEntry = AccountsFile['accounts'][number];

/** `accounts[1].timezone must be …`; the file itself has no path. */
function describe({ path, message }: z.core.$ZodIssue): string {
  const location = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`)).join('');
  return `${location.replace(/^\./, '')} ${message}`.trim();
}

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    throw new SettingsError(`${path} is not JSON`);
  }
}

/** Throws `SettingsError` if two entries of a list have the same value in a field. `values`: that or those of each entry. */
function refuseRepeated(path: string, list: string, field: string, values: readonly (string | readonly string[])[]) {
  const seen = new Map<string, number>();
  for (const [index, own] of values.entries()) {
    for (const value of [own].flat()) {
      const before = seen.get(value) ?? index;
      if (before !== index)
        throw new SettingsError(`${path}: ${list}[${index}].${field} is the same as ${list}[${before}].${field}`);
      seen.set(value, index);
    }
  }
}

/** An address without the differences that lead to the same academy. */
const addressOf = ({ base_url: { origin, pathname } }: AccountEntry) => origin + pathname.replace(/\/+$/, '');

export function parseAccountsFile(text: string, path: string): AccountsFile {
  const { data, error } = accountsFile.safeParse(parseJson(text, path));
  if (data === undefined) throw new SettingsError(`${path}: ${error.issues.map(describe)[0] ?? 'it is invalid'}`);
  const names = data.accounts.map(({ name }) => name);
  refuseRepeated(path, 'accounts', 'name', names);
  // Two accounts of one address would each use its whole request limit.
  refuseRepeated(path, 'accounts', 'base_url', data.accounts.map(addressOf));
  for (const [index, caller] of data.callers.entries()) {
    for (const [position, name] of caller.accounts.entries()) {
      if (names.includes(name)) continue;
      const problem = `names no account${didYouMean(name, names)}`;
      throw new SettingsError(`${path}: callers[${index}].accounts[${position}] ${problem}`);
    }
  }
  return data;
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

interface Place {
  readonly path: string;
  readonly owner: string;
  readonly environment: Environment;
}

/** Reads a secret from the variable or the file that an entry names. Throws `SettingsError`, which never has the secret. */
function readSecret<Value>(
  { path, owner, environment }: Place,
  field: string,
  { env = '', file }: { readonly env: string | undefined; readonly file: string | undefined },
  schema: z.ZodType<Value>,
): Value {
  const source = `${path}: ${owner}.${field}_${file === undefined ? `env: ${env}` : 'file'}`;
  const text = file === undefined ? environment[env] : readSecretFile(resolve(dirname(path), file), source);
  if (text === undefined || text === '') throw new SettingsError(`${source} is not set`);
  if (isPlaceholder(text)) throw new SettingsError(`${source} ${placeholderProblem}`);
  const parsed = schema.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new SettingsError(`${source} ${parsed.error.issues[0]?.message ?? 'is invalid'}`);
}

/** `webhook`: the secrets in the webhook addresses, if the account names any. Only HTTP needs a variable with them. */
function readSecrets(entry: AccountEntry, source: Place, isHttp: boolean) {
  const key = readSecret(source, 'api_key', { env: entry.api_key_env, file: entry.api_key_file }, apiKey);
  const { webhook_secret_env: env, webhook_secret_file: file } = entry;
  const isSet = file !== undefined || (env !== undefined && (isHttp || Boolean(source.environment[env])));
  const webhook = isSet ? readSecret(source, 'webhook_secret', { env, file }, webhookSecrets) : undefined;
  return { entry, source, key, webhook };
}

const replaced = [settings.baseUrl, settings.apiKey, settings.httpTokens];

function refuseReplaced({ flags, environment }: SettingSources): void {
  const variables = replaced.flatMap((setting) => [setting.env, fileVariableOf(setting) ?? setting.env]);
  const variable = flags.baseUrl === undefined ? variables.find((name) => environment[name]) : '--base-url';
  if (variable === undefined) return;
  const hint = 'The accounts file has the address, key and tokens of every account: leave this one out.';
  throw new SettingsError(`${variable} cannot be set together with ACADEMY_ACCOUNTS_FILE`, hint);
}

/** A file beside that of the program, so that a flood of events at one account pushes out no event of another. */
function accountFile(file: string, name: string): string {
  const { dir, name: stem, ext } = parse(file);
  return join(dir, `${stem}.${name}${ext}`);
}

/** A secret of its own, so that codes, cursors, hashes and webhook addresses of one account are of no use with another. */
function accountSecret(secret: string, name: string): string {
  return createHmac('sha256', secret).update(`academy-mcp account ${name}`).digest('hex');
}

/** Restrictions add up; every other field replaces the setting of the program. */
function accountConfig(server: Config, { entry, source, key, webhook }: ReturnType<typeof readSecrets>): Config {
  const { path, owner } = source;
  const { name, base_url: baseUrl, toolsets = server.toolsets, rate_limit: rateLimit = server.rateLimit } = entry;
  const allowed = toolsets?.filter((toolset) => server.toolsets?.includes(toolset) ?? true);
  if (allowed?.length === 0)
    throw new SettingsError(`${path}: ${owner}.toolsets has none of those of ACADEMY_TOOLSETS`);
  if (rateLimit === 'off' && !isLoopback(baseUrl))
    throw new SettingsError(`${path}: ${owner}.rate_limit must not be off for an academy on another machine`);
  return withHiddenSecrets({
    ...server,
    baseUrl,
    apiKey: key,
    webhookSecret: webhook ?? server.webhookSecret.map((secret) => accountSecret(secret, name)),
    eventsFile: server.eventsFile && accountFile(server.eventsFile, name),
    authScheme: entry.auth_scheme ?? server.authScheme,
    rateLimit,
    rateShare: entry.rate_share ?? server.rateShare,
    timezone: entry.timezone ?? server.timezone,
    toolsets: allowed,
    readOnly: server.readOnly || entry.read_only === true,
    confirm: entry.confirm ?? server.confirm,
    confirmSecret: server.confirmSecret && accountSecret(server.confirmSecret, name),
  });
}

/** The accounts in the order of the file, and the claim of OAuth access tokens that names those that a token opens. */
export type Accounts = ReturnType<typeof loadAccounts>['accounts'];

/** In `config`, address and key are those of the first account, and `httpTokens` the tokens of all callers. */
export function loadAccounts(path: string, sources: SettingSources) {
  const { flags, environment, command } = sources;
  const isHttp = command === 'http';
  refuseReplaced(sources);
  const file = readAccountsFile(path);
  const entries = file.accounts.map((entry, index) =>
    readSecrets(entry, { path, owner: `accounts[${index}]`, environment }, isHttp),
  );
  // A sender that knows an address of one account would know those of the other.
  const webhooks = entries.map(({ webhook = [] }) => webhook);
  refuseRepeated(path, 'accounts', 'webhook_secret', webhooks);
  // Only HTTP has callers: a client on stdin and stdout needs no token.
  const callers = (isHttp ? file.callers : []).map(({ name, accounts, token_env: env, token_file }, index) => {
    const source = { path, owner: `callers[${index}]`, environment };
    return { name, accounts, token: readSecret(source, 'token', { env, file: token_file }, token) };
  });
  const tokens = callers.map((caller) => caller.token);
  refuseRepeated(path, 'callers', 'token', tokens);
  const [first] = entries;
  const own = first && { baseUrl: first.entry.base_url.href, apiKey: first.key };
  const ofAccounts = file.accounts.flatMap((entry) => [entry.api_key_env, entry.webhook_secret_env]);
  const named = [...ofAccounts, ...file.callers.map((caller) => caller.token_env)].filter((name) => name !== undefined);
  const server = loadConfig({ ...flags, ...own }, environment, command, named);
  const config = withHiddenSecrets({ ...server, httpTokens: callers });
  const list = entries.map((entry) => ({ name: entry.entry.name, config: accountConfig(config, entry) }));
  return { config, accounts: { list, oauthClaim: file.oauth_claim } };
}
