import { readFileSync, statSync } from 'node:fs';
import { SettingsError } from '../shared/errors.ts';
import { nearest } from '../shared/similar-words.ts';
import { isPlaceholder, placeholderProblem } from './placeholders.ts';
import { fileVariableOf, type Setting, type SettingName, settingEntries } from './settings.ts';

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
export function refuseUnknownVariables(environment: Environment, named: readonly string[] = []): void {
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
