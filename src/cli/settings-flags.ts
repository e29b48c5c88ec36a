import type { Command } from 'commander';
import { isSecret } from '../config/setting.ts';
import type { Flags } from '../config/setting-sources.ts';
import { type SettingName, settingEntries } from '../config/settings.ts';

function camelCase(flag: string): string {
  return flag.replace(/-([a-z])/g, (_match, letter: string) => letter.toUpperCase());
}

function secretsHelp(): string {
  const secrets = settingEntries.filter(([, setting]) => isSecret(setting));
  const lines = secrets.map(([, { env, help }]) => `  ${env}  ${help}`);
  return `\nSecrets, which can only be set as environment variables:\n${lines.join('\n')}`;
}

/** Adds a flag for every setting that is not a secret. */
export function addSettingFlags(command: Command): Command {
  for (const [, { flag, value, help, env }] of settingEntries) {
    if (flag !== undefined) command.option(`--${flag}${value === undefined ? '' : ` <${value}>`}`, `${help} [${env}]`);
  }
  return command.addHelpText('after', secretsHelp());
}

/** The values of the flags, as they were written on the command line. */
export function readSettingFlags(options: Record<string, unknown>): Flags {
  const given = settingEntries.flatMap(([name, { flag }]): [SettingName, string][] => {
    const value = flag === undefined ? undefined : options[camelCase(flag)];
    return value === undefined ? [] : [[name, String(value)]];
  });
  return Object.fromEntries(given);
}
