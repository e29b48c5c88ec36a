import { SettingsError } from '../shared/errors.ts';
import { closestMatch } from './closest-match.ts';
import type { Setting } from './setting.ts';
import { type SettingName, settingEntries } from './settings.ts';

/** Values as a person writes them, by the name of the setting. */
export type Flags = Partial<Record<SettingName, string>>;
export type Environment = Record<string, string | undefined>;

export interface SettingSources {
  readonly flags: Flags;
  readonly environment: Environment;
}

const prefix = 'ACADEMY_';
const known = new Set<string>(settingEntries.map(([, { env }]) => env));

function suggestionFor(unknown: string): string {
  // All variables share the prefix. If it counted, every name would be a close match.
  const withoutPrefix = (env: string) => env.replace(prefix, '');
  const match = closestMatch(withoutPrefix(unknown), [...known].map(withoutPrefix));
  const suggested = [...known].find((env) => withoutPrefix(env) === match);
  return suggested === undefined ? 'academy-mcp --help lists the settings.' : `Did you mean ${suggested}?`;
}

/** Throws `SettingsError` for a variable that looks like a setting and is none: a typo must not be ignored. */
export function refuseUnknownVariables(environment: Environment): void {
  const unknown = Object.keys(environment).find((name) => name.startsWith(prefix) && !known.has(name));
  if (unknown === undefined) return;
  throw new SettingsError(`${unknown} is not a setting`, suggestionFor(unknown));
}

/** The text of a setting, and the flag or variable to name in an error. A flag wins over a variable. */
interface SettingText {
  readonly text: string | undefined;
  readonly source: string;
}

export function findText(name: SettingName, { env, flag }: Setting, sources: SettingSources): SettingText {
  const fromFlag = sources.flags[name];
  if (fromFlag !== undefined) return { text: fromFlag, source: `--${flag}` };
  // An empty variable counts as not set: many launchers pass those.
  return { text: sources.environment[env] || undefined, source: env };
}
