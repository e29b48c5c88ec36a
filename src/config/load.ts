import { inspect } from 'node:util';
import type * as z from 'zod';
import { SettingsError } from '../shared/errors.ts';
import { closestMatch } from './closest-match.ts';
import { isLoopback, type Setting, type SettingName, settings } from './settings.ts';

export type Config = { readonly [Name in SettingName]: z.output<(typeof settings)[Name]['schema']> };

/** Values as a person writes them, by the name of the setting. */
export type Flags = Partial<Record<SettingName, string>>;
export type Environment = Record<string, string | undefined>;

const entries = Object.entries(settings) as [SettingName, Setting][];
const known = new Set(entries.map(([, { env }]) => env));

const prefix = 'ACADEMY_';

function hintFor(unknown: string): string {
  // All have the prefix: counted in, it would make everything near.
  const bare = (env: string) => env.replace(prefix, '');
  const near = closestMatch(bare(unknown), [...known].map(bare));
  const meant = [...known].find((env) => bare(env) === near);
  return meant === undefined ? 'academy-mcp --help lists the settings.' : `Did you mean ${meant}?`;
}

/** A misspelt setting would otherwise be a setting that silently does nothing. */
function refuseUnknown(environment: Environment): void {
  const unknown = Object.keys(environment).find((name) => name.startsWith(prefix) && !known.has(name));
  if (unknown === undefined) return;
  throw new SettingsError(`${unknown} is not a setting`, hintFor(unknown));
}

/** What a person wrote for a setting, and where. An empty variable counts as not set: many launchers pass those. */
function written(name: SettingName, { env, flag }: Setting, flags: Flags, environment: Environment) {
  const byFlag = flags[name];
  if (byFlag !== undefined) return { value: byFlag, source: `--${flag}` };
  return { value: environment[env] || undefined, source: env };
}

function required(source: string): SettingsError {
  return new SettingsError(
    `${source} is not set`,
    'Set it, or start academy-mcp --sandbox to try the embedded academy.',
  );
}

function read([name, setting]: [SettingName, Setting], flags: Flags, environment: Environment): [SettingName, unknown] {
  const { value, source } = written(name, setting, flags, environment);
  const parsed = setting.schema.safeParse(value);
  if (parsed.success) return [name, parsed.data];
  if (value === undefined) throw required(source);
  // The value itself is not repeated: it may be the key, put into the wrong variable.
  throw new SettingsError(`${source} ${parsed.error.issues[0]?.message ?? 'is wrong'}`);
}

function checkTogether(config: Config): void {
  if (config.rateLimit === 'off' && !isLoopback(config.baseUrl)) {
    throw new SettingsError('ACADEMY_RATE_LIMIT must not be off for an academy on another machine');
  }
  if ((config.oauthIssuer === undefined) !== (config.oauthAudience === undefined)) {
    throw new SettingsError('ACADEMY_OAUTH_ISSUER and ACADEMY_OAUTH_AUDIENCE need each other: one of them is not set');
  }
}

/** What must be in no answer and no log. */
export function secretsOf({ apiKey, confirmSecret, httpTokens, metricsToken }: Config): string[] {
  return [apiKey, confirmSecret, metricsToken, ...httpTokens].filter((secret) => secret !== undefined);
}

const hidden = '[hidden]';

/** However a config is printed, its secrets are not. */
function withHiddenSecrets(config: Config): Config {
  const secrets = { apiKey: hidden, confirmSecret: hidden, httpTokens: hidden, metricsToken: hidden };
  const shown = { ...config, baseUrl: config.baseUrl.href, ...secrets };
  return Object.defineProperties(config, {
    toJSON: { value: () => shown },
    [inspect.custom]: { value: () => shown },
  });
}

/** Settings from flags and the environment; flags win. Throws `SettingsError`, which names the setting. */
export function loadConfig(flags: Flags, environment: Environment): Config {
  refuseUnknown(environment);
  const values = entries.map((entry) => read(entry, flags, environment));
  const config = Object.fromEntries(values) as Config;
  checkTogether(config);
  return withHiddenSecrets(config);
}
