import { type Command, CommanderError } from 'commander';
import { closestMatch } from '../config/closest-match.ts';
import { oneLine } from '../shared/clean-text.ts';
import type { CommandContext } from './command-context.ts';

/** The command line is wrong. Exit code 2. */
export class UsageError extends Error {
  /** The command whose help says what is right, as it is called. */
  readonly command: string;

  constructor(message: string, command: string) {
    super(message);
    this.command = command;
  }
}

/** Names the command that was probably meant, and those that there are. */
export function unknownCommand(word: string, program: Command): UsageError {
  const names = program.commands.map((command) => command.name());
  const near = closestMatch(word, names);
  const guess = near === undefined ? '' : ` Did you mean ${near}?`;
  const message = `unknown command '${oneLine(word, 60)}'.${guess} The commands are ${names.join(', ')}`;
  return new UsageError(message, program.name());
}

/** Commander's "error: unknown option '--a'\n(Did you mean --b?)" as one line. */
function oneLineMessage(message: string): string {
  return oneLine(message.replace(/^error: /, '').replace(/\n\((.*)\)$/, '. $1'), 500);
}

/** Commander takes an unknown command for an argument too many, and its flags for unknown ones. */
function usageError({ message }: CommanderError, command: Command): UsageError {
  const [first = '-'] = command.args;
  const isCommand = !first.startsWith('-') && !command.commands.some((known) => known.name() === first);
  if (command.commands.length > 0 && isCommand) return unknownCommand(first, command);
  return new UsageError(oneLineMessage(message), command.name());
}

/** Runs a command on the arguments behind its name. Throws `UsageError`; help and version are no errors. */
export async function parse(command: Command, args: readonly string[], { stdout }: CommandContext): Promise<void> {
  for (const each of [command, ...command.commands]) {
    // What is wrong is told once, by whoever catches the error.
    each.exitOverride().configureOutput({ writeOut: (text) => stdout.write(text), writeErr: () => {} });
  }
  try {
    await command.parseAsync(args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode !== 0) throw usageError(error, command);
  }
}
