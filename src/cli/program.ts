import { FlagError } from '../config/load.ts';
import { AcademyError } from '../shared/errors.ts';
import { name } from '../version.ts';
import { type CommandContext, isInterrupted, UsageError } from './command-context.ts';
import { serveCommand } from './stdio.ts';

function hintOf(error: unknown): string {
  if (error instanceof UsageError) return ` See ${error.command} --help.`;
  return error instanceof AcademyError && error.hint !== undefined ? ` ${error.hint}` : '';
}

function reportError(error: unknown, { stderr }: CommandContext): void {
  const message = error instanceof Error ? error.message : String(error);
  stderr.write(`${name}: ${message.replace(/(?<![.?])$/, '.')}${hintOf(error)}\n`);
}

/** Exit code: 0 success or Ctrl-C, 1 a problem with a setting or the academy, 2 wrong usage or a wrong flag. */
export async function run(args: readonly string[], context: CommandContext): Promise<number> {
  const { signal, stderr, isTerminal } = context;
  try {
    // Most clients start the server without arguments: it needs no parser for them.
    if (args.length === 0) await serveCommand(context, {}, false);
    else await (await import('./subcommands.ts')).runArguments(args, context);
    return 0;
  } catch (error) {
    // What fails after Ctrl-C fails because of it.
    if (isInterrupted(signal)) return 0;
    reportError(error, context);
    return error instanceof UsageError || error instanceof FlagError ? 2 : 1;
  } finally {
    // A terminal shows "^C" and stays on that line.
    if (isInterrupted(signal)) stderr.write(`${isTerminal ? '\n' : ''}Stopped.\n`);
  }
}
