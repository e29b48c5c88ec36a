import type { Command } from 'commander';
import type { Flags } from '../config/load.ts';
import { type SettingName, settings } from '../config/settings.ts';

const entries = Object.entries(settings) as [SettingName, (typeof settings)[SettingName]][];

function camelCase(flag: string): string {
  return flag.replace(/-([a-z])/g, (_match, letter: string) => letter.toUpperCase());
}

function secretsHelp(): string {
  const lines = entries.flatMap(([, { env, flag, help }]) => (flag === undefined ? [`  ${env}  ${help}`] : []));
  return `\nSecrets, which have no flag:\n${lines.join('\n')}`;
}

/** Every setting that is no secret has a flag of the same name. */
export function addSettingFlags(command: Command): Command {
  for (const [, { flag, value, help, env }] of entries) {
    if (flag !== undefined) command.option(`--${flag}${value === undefined ? '' : ` <${value}>`}`, `${help} [${env}]`);
  }
  return command.addHelpText('after', secretsHelp());
}

/** What was given on the command line, as written. */
export function readSettingFlags(options: Record<string, unknown>): Flags {
  const given = entries.flatMap(([name, { flag }]): [SettingName, string][] => {
    const value = flag === undefined ? undefined : options[camelCase(flag)];
    return value === undefined ? [] : [[name, String(value)]];
  });
  return Object.fromEntries(given);
}
