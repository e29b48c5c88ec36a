import { inspect } from 'node:util';
import type * as z from 'zod';
import { SettingsError } from '../shared/errors.ts';
import { isObject } from '../shared/json.ts';
import { isLoopback } from '../shared/loopback.ts';
import { isPlaceholder, placeholderHint, placeholderProblem } from './placeholders.ts';
import {
  type Environment,
  type Flags,
  findText,
  refuseUnknownVariables,
  type SettingSources,
} from './setting-sources.ts';
import { isSecret, type Setting, type SettingName, settingEntries, settings } from './settings.ts';

/** The value of a flag is wrong: wrong usage, unlike a wrong variable. */
export class FlagError extends SettingsError {}

export type Config = { readonly [Name in SettingName]: z.output<(typeof settings)[Name]['schema']> };

function settingsError(source: string, problem: string, hint?: string): SettingsError {
  return new (source.startsWith('--') ? FlagError : SettingsError)(`${source} ${problem}`, hint);
}

/** The value of one setting. Throws `SettingsError`, or `FlagError` if its flag is wrong. */
export function readSetting<Name extends SettingName>(name: Name, sources: SettingSources): Config[Name] {
  const setting: Setting = settings[name];
  const { text: given, source } = findText(name, setting, sources);
  // A copied value often has a line break or a blank at its end. One of blanks alone counts as not set.
  const text = given?.trim() || (given === '' ? '' : undefined);
  if (text !== undefined && isPlaceholder(text))
    throw settingsError(source, placeholderProblem, placeholderHint(setting.env));
  const parsed = setting.schema.safeParse(text);
  // A cast of a checked value: the schema of this setting has read it.
  if (parsed.success) return parsed.data as Config[Name];
  if (text === undefined)
    throw settingsError(source, 'is not set', 'Set it, or start academy-mcp --sandbox to try the embedded academy.');
  // The value is not repeated: it may be the key, set in the wrong variable.
  throw settingsError(source, parsed.error.issues[0]?.message ?? 'is invalid');
}

function checkCombinations(config: Config, sources: SettingSources): void {
  if (config.rateLimit === 'off' && !isLoopback(config.baseUrl)) {
    const { source } = findText('rateLimit', settings.rateLimit, sources);
    throw settingsError(source, 'must not be off for an academy on another machine');
  }
  if ((config.oauthIssuer === undefined) !== (config.oauthAudience === undefined))
    throw new SettingsError('ACADEMY_OAUTH_ISSUER and ACADEMY_OAUTH_AUDIENCE must be set together');
  if ((config.redisUrl === undefined) !== (config.replicas === undefined))
    throw new SettingsError('ACADEMY_REDIS_URL and ACADEMY_REPLICAS must be set together');
}

const secretNames = settingEntries.filter(([, setting]) => isSecret(setting)).map(([name]) => name);

/** Values that no answer and no log may contain. Of several accounts: the answer of one must not show a key of another. */
export function secretsOf(...configs: readonly Config[]): string[] {
  const values: unknown[] = configs.flatMap((config) => secretNames.flatMap((name): unknown => config[name]));
  const texts = values.map((value) => (isObject(value) ? value.token : value));
  return [...new Set(texts.filter((text) => typeof text === 'string'))];
}

/** Keeps secrets out of every printed form of a config. */
export function withHiddenSecrets(config: Config): Config {
  const hidden = Object.fromEntries(secretNames.map((name) => [name, '[hidden]']));
  const printed = { ...config, baseUrl: config.baseUrl.href, ...hidden };
  return Object.defineProperties(config, {
    toJSON: { value: () => printed },
    [inspect.custom]: { value: () => printed },
  });
}

/** Flags win over variables. `named`: variables that an accounts file names. Throws `SettingsError` or `FlagError`. */
export function loadConfig(
  flags: Flags,
  environment: Environment,
  command?: SettingSources['command'],
  named: readonly string[] = [],
): Config {
  refuseUnknownVariables(environment, named);
  const sources: SettingSources = { flags, environment, ...(command === undefined ? {} : { command }) };
  // Wrong usage comes first, as it does for flags that take no setting.
  const isGiven = (name: SettingName) => Number(flags[name] !== undefined);
  const inOrder = settingEntries.toSorted(([one], [other]) => isGiven(other) - isGiven(one));
  const config = Object.fromEntries(inOrder.map(([name]) => [name, readSetting(name, sources)])) as Config;
  checkCombinations(config, sources);
  return withHiddenSecrets(config);
}
