import { dirname, resolve } from 'node:path';
import type * as z from 'zod';
import { isExampleKey } from '../config/placeholders.ts';
import { readSecretFile } from '../config/secret-file.ts';
import type { Environment } from '../config/setting-sources.ts';
import { apiKey, token, webhookSecrets } from '../config/value-schemas.ts';
import { SettingsError } from '../shared/errors.ts';
import type { CallerToken } from './accounts.ts';
import type { AccountsFile } from './accounts-file.ts';

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
