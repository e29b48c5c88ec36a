import { type Command, CommanderError } from 'commander';
import { closestMatch, didYouMean } from '../config/closest-match.ts';
import { oneLine } from '../shared/clean-text.ts';
import { type CommandContext, UsageError } from './command-context.ts';

/** Suggests the command that was probably meant, and lists all commands. */
export function unknownCommand(word: string, program: Command): UsageError {
  const names = program.commands.map((command) => command.name());
  const match = closestMatch(word, names);
  const suggestion = match === undefined ? '' : ` Did you mean ${match}?`;
  const message = `unknown command '${oneLine(word, 60)}'.${suggestion} The commands are ${names.join(', ')}`;
  return new UsageError(message, program.name());
}

/** Turns commander's "error: unknown option '--a'\n(Did you mean --b?)" into one line. */
function oneLineMessage(message: string): string {
  return oneLine(message.replace(/^error: /, '').replace(/\n\((.*)\)$/, '. $1'), 500);
}

/** Commander calls `--flag=value` an unknown option if the flag takes no value. */
function needlessValue({ message }: CommanderError, command: Command): string | undefined {
  const [, flag] = /^error: unknown option '(--[^=']+)=/.exec(message) ?? [];
  const isKnown = command.options.some(({ long }) => long === flag);
  return isKnown ? `${flag} takes no value: write ${flag} alone, or leave it out` : undefined;
}

/** Suggests the choice that was probably meant. Commander lists the choices, and suggests none. */
function wrongChoice({ message }: CommanderError, command: Command): string | undefined {
  const [, flags, value = ''] = /^error: option '(.*?)' argument '(.*)' is invalid/.exec(message) ?? [];
  const choices = command.options.find((option) => option.flags === flags)?.argChoices;
  if (choices === undefined) return undefined;
  return `${oneLineMessage(message).replace(/\.$/, '')}${didYouMean(value, choices)}`;
}

/** Commander reports an unknown command as an excess argument, and its flags as unknown options. */
function usageError(error: CommanderError, command: Command): UsageError {
  const [first = '-'] = command.args;
  const isCommand = !first.startsWith('-') && !command.commands.some((known) => known.name() === first);
  if (command.commands.length > 0 && isCommand) return unknownCommand(first, command);
  return new UsageError(
    needlessValue(error, command) ?? wrongChoice(error, command) ?? oneLineMessage(error.message),
    command.name(),
  );
}

/** Runs a command with the arguments after its name. Throws `UsageError`; help and version are not errors. */
export async function parse(command: Command, args: readonly string[], { stdout }: CommandContext): Promise<void> {
  for (const each of [command, ...command.commands]) {
    // The error is printed once, where it is caught.
    each.exitOverride().configureOutput({ writeOut: (text) => stdout.write(text), writeErr: () => {} });
  }
  try {
    await command.parseAsync(args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode !== 0) throw usageError(error, command);
  }
}
