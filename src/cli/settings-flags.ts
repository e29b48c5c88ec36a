import type { Command } from 'commander';
import { fileVariableOf, isSecret, type Setting } from '../config/setting.ts';
import type { Flags } from '../config/setting-sources.ts';
import { type SettingName, settingEntries, settings } from '../config/settings.ts';

function camelCase(flag: string): string {
  return flag.replace(/-([a-z])/g, (_match, letter: string) => letter.toUpperCase());
}

function secretsHelp(): string {
  const secrets = settingEntries.filter(([, setting]) => isSecret(setting));
  const lines = secrets.map(([, { env, help }]) => `  ${env}  ${help}`);
  const example = fileVariableOf(settings.apiKey);
  return [
    '',
    'Secrets, which can only be set as environment variables:',
    ...lines,
    `Each can come from a file too, whose path is in a variable such as ${example}.`,
  ].join('\n');
}

/** Adds a flag for every setting that is not a secret. `name` is the command, if it has settings of its own. */
export function addSettingFlags(command: Command, name?: Setting['command']): Command {
  for (const { flag, value, help, env, command: only = name } of Object.values<Setting>(settings)) {
    if (flag !== undefined && only === name)
      command.option(`--${flag}${value === undefined ? '' : ` <${value}>`}`, `${help} [${env}]`);
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
