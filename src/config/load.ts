import { readFileSync, statSync } from 'node:fs';
import { inspect } from 'node:util';
import type * as z from 'zod';
import { SettingsError } from '../shared/errors.ts';
import { isObject } from '../shared/json.ts';
import { isLoopback } from '../shared/loopback.ts';
import { nearest } from '../shared/similar-words.ts';
import { fileVariableOf, isSecret, type Setting, type SettingName, settingEntries, settings } from './settings.ts';

/** Hosts that are reserved for examples (RFC 2606, section 3), so no academy has one. */
const exampleHost = /(^|\.)example(\.(com|net|org))?$/;

/** Texts that stand for a value in documents, and a variable that the client did not replace. */
const placeholder =
  /^(<.*>|\/path\/to\/.*|\$\{.*\}|\.{3}|x{3,}|(your|my|the)?[-_]?api[-_]?key|your[-_]?key|change[-_]?me)$/i;

export const placeholderProblem = 'is still the placeholder of an example';

const hints: Readonly<Record<string, string>> = {
  [settings.baseUrl.env]: 'Set it to the address at which you open your academy in a browser.',
  [settings.apiKey.env]: 'Sign in to your academy as an admin and copy the api_key from Account Settings.',
};

function placeholderHint(env: string): string {
  return hints[env] ?? 'Set it to a value of your own, or leave it out.';
}

export const isPlaceholder = (text: string) => placeholder.test(text);

export const isExampleAddress = ({ hostname }: URL) => exampleHost.test(hostname);

export function refuseExampleAddress({ baseUrl }: { readonly baseUrl: URL }): void {
  const { env } = settings.baseUrl;
  if (isExampleAddress(baseUrl))
    throw new SettingsError(`${env} is still the address of an example`, placeholderHint(env));
}

/** Bytes. A key or a list of tokens is far smaller; a larger file is the wrong one. */
const maxBytes = 64 * 1024;

const noFile = 'there is no such file';
const reasons: Record<string, string> = {
  ENOENT: noFile,
  ENOTDIR: noFile,
  EACCES: 'this user has no right to read it',
};

/** The path is not repeated: it may be the secret itself, set in the wrong variable. */
function refuse(variable: string, problem: string): never {
  throw new SettingsError(`${variable} names a file that cannot be used: ${problem}`);
}

/** Only a regular file is opened: opening a pipe would wait for a writer. */
function readSmallFile(file: string, variable: string): string {
  try {
    const stats = statSync(file);
    if (!stats.isFile()) refuse(variable, 'it is not a regular file');
    if (stats.size > maxBytes) refuse(variable, `it has more than ${maxBytes / 1024} KiB`);
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof SettingsError) throw error;
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    return refuse(variable, reasons[code] ?? code);
  }
}

/** Without the line break at its end. Any mode is accepted: container runtimes mount secrets with mode 0444. */
export function readSecretFile(file: string, variable: string): string {
  if (isPlaceholder(file)) {
    throw new SettingsError(`${variable} ${placeholderProblem}`, 'Set it to the full path of your own file.');
  }
  // Some Windows editors put a byte order mark first.
  const secret = readSmallFile(file, variable)
    .replace(/^\uFEFF/, '')
    .replace(/\r?\n$/, '');
  return secret === '' ? refuse(variable, 'it is empty') : secret;
}

const ofService = /_SERVICE_(HOST|PORT(_[A-Z0-9_]+)?)$|_PORT_\d+_(TCP|UDP|SCTP)(_(ADDR|PORT|PROTO))?$/;

/** A service academy-http gives ACADEMY_HTTP_PORT=tcp://10.0.0.7:3000. ACADEMY_HTTP_PORT=3000 is a setting. */
function isFromKubernetes(name: string, value: string): boolean {
  return ofService.test(name) || (name.endsWith('_PORT') && /^(tcp|udp|sctp):\/\//.test(value));
}

/** Values as a person writes them, by the name of the setting. */
export type Flags = Partial<Record<SettingName, string>>;
export type Environment = Record<string, string | undefined>;

export interface SettingSources {
  readonly flags: Flags;
  readonly environment: Environment;
  /** The command that runs. Other commands leave variables such as PORT alone. */
  readonly command?: Setting['command'];
}

const prefix = 'ACADEMY_';
const known = new Set<string>(
  settingEntries.flatMap(([, setting]) => [setting.env, fileVariableOf(setting) ?? setting.env]),
);

/** A typo must not be ignored. `named`: variables that an accounts file names. Throws `SettingsError`. */
function refuseUnknownVariables(environment: Environment, named: readonly string[] = []): void {
  const isKnown = (name: string) => known.has(name) || named.includes(name);
  const isUnknown = (name: string) =>
    name.startsWith(prefix) && !isKnown(name) && !isFromKubernetes(name, environment[name] ?? '');
  const unknown = Object.keys(environment).find(isUnknown);
  if (unknown === undefined) return;
  // All variables share the prefix. If it counted, every name would be a close match.
  const withoutPrefix = (env: string) => env.replace(prefix, '');
  const [meant] = nearest(withoutPrefix(unknown), [...known], withoutPrefix, 1);
  const hint = meant === undefined ? 'academy-mcp --help lists the settings.' : `Did you mean ${meant}?`;
  throw new SettingsError(`${unknown} is not a setting`, hint);
}

interface SettingText {
  readonly text: string | undefined;
  readonly source: string;
}

/** An empty variable counts as not set: many launchers pass those. */
function variable(name: string, environment: Environment): SettingText | undefined {
  const text = environment[name];
  return text === undefined || text === '' || isFromKubernetes(name, text) ? undefined : { text, source: name };
}

function secretFromFile(setting: Setting, { environment }: SettingSources): SettingText | undefined {
  const name = fileVariableOf(setting);
  const file = name === undefined ? undefined : variable(name, environment)?.text;
  if (name === undefined || file === undefined) return undefined;
  if (environment[setting.env]) throw new SettingsError(`${setting.env} and ${name} are both set`, 'Set only one.');
  return { text: readSecretFile(file, name), source: `the content of ${name}` };
}

/** Finds the text of a setting. A flag wins over a variable, and a variable over that of the hosting platform. */
export function findText(name: SettingName, setting: Setting, sources: SettingSources): SettingText {
  const { env, flag, platformEnv } = setting;
  const fromFlag = sources.flags[name];
  if (fromFlag !== undefined) return { text: fromFlag, source: `--${flag}` };
  const found = secretFromFile(setting, sources) ?? variable(env, sources.environment);
  if (found !== undefined) return found;
  const ofPlatform = platformEnv && setting.command === sources.command;
  return (ofPlatform && variable(platformEnv, sources.environment)) || { text: undefined, source: env };
}

/** The value of a flag is wrong: wrong usage, unlike a wrong variable. */
export class FlagError extends SettingsError {}

export type Config = { readonly [Name in SettingName]: z.output<(typeof settings)[Name]['schema']> };

function settingsError(source: string, problem: string, hint?: string): SettingsError {
  return new (source.startsWith('--') ? FlagError : SettingsError)(`${source} ${problem}`, hint);
}

/** The value of one setting. Throws `SettingsError`, or `FlagError` if its flag is wrong. */
export function readSetting<Name extends SettingName>(name: Name, sources: SettingSources): Config[Name] {
  const setting: Setting = settings[name];
  const { text: found, source } = findText(name, setting, sources);
  // A copied value often has a line break or a blank at its end. One of blanks alone counts as not set.
  const text = found?.trim() || (found === '' ? '' : undefined);
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
