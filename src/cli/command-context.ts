import type { Readable, Writable } from 'node:stream';
import type { Command } from 'commander';
import type { Environment, Flags } from '../config/load.ts';
import {
  fileVariableOf,
  isSecret,
  type Setting,
  type SettingName,
  settingEntries,
  settings,
} from '../config/settings.ts';

/** What a subcommand uses of its process. Created in main.ts. */
export interface CommandContext {
  readonly environment: Environment;
  readonly stdin: Readable;
  readonly stdout: Writable;
  /** For the log. Synchronous, so that the last lines are not lost. */
  readonly stderr: { write(line: string): void };
  /** Aborted by SIGTERM, SIGINT and SIGHUP. The message of its reason is the name of the signal. */
  readonly signal: AbortSignal;
  /** Does what SIGINT does. A terminal in raw mode sends Ctrl-C as a character instead of that signal. */
  readonly interrupt: () => void;
  readonly isTerminal: boolean;
  readonly platform: NodeJS.Platform;
  /** Path of the Node that runs this program. */
  readonly runtime: string;
  /** Path of this program, for a subcommand that starts the server as a separate process. */
  readonly program: string;
}

export function isInterrupted({ aborted, reason }: AbortSignal): boolean {
  return aborted && reason instanceof DOMException && reason.message === 'SIGINT';
}

export const untilAborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });

/** The command line is wrong. Exit code 2. */
export class UsageError extends Error {
  /** The command whose help describes the right usage. */
  readonly command: string;

  constructor(message: string, command: string) {
    super(message);
    this.command = command;
  }
}

const camelCase = (flag: string) => flag.replace(/-([a-z])/g, (_match, letter: string) => letter.toUpperCase());

function secretsHelp(): string {
  const lines = settingEntries.flatMap(([, one]) => (isSecret(one) ? `  ${one.env}  ${one.help}` : []));
  return `
Secrets, which can only be set as environment variables:
${lines.join('\n')}
Each can come from a file too, whose path is in a variable such as ${fileVariableOf(settings.apiKey)}.`;
}

/** Adds a flag for every setting that is not a secret. `name` is the command, if it has settings of its own. */
export function addSettingFlags(command: Command, name?: Setting['command']): Command {
  for (const { flag, value, help, env, command: only = name } of Object.values<Setting>(settings)) {
    if (flag !== undefined && only === name)
      command.option(`--${flag}${value === undefined ? '' : ` <${value}>`}`, `${help} [${env}]`);
  }
  return command.addHelpText('after', secretsHelp());
}

export function readSettingFlags(options: Record<string, unknown>): Flags {
  const values = settingEntries.flatMap(([name, { flag }]): [SettingName, string][] => {
    const value = flag === undefined ? undefined : options[camelCase(flag)];
    return value === undefined ? [] : [[name, String(value)]];
  });
  return Object.fromEntries(values);
}
