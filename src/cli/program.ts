import { Command } from 'commander';
import { FlagError } from '../config/load.ts';
import { AcademyError } from '../shared/errors.ts';
import { name, version } from '../version.ts';
import { type CommandContext, isInterrupted } from './command-context.ts';
import { parse, UsageError } from './parse-arguments.ts';
import { addSettingFlags, readSettingFlags } from './settings-flags.ts';
import { serveCommand } from './stdio.ts';
import { addSubcommands } from './subcommands.ts';

function buildProgram(context: CommandContext): Command {
  const program = new Command(name)
    .description('MCP server for an online academy. Without a command, serves one client on stdin and stdout.')
    .version(version)
    // A flag after a command belongs to the command, even if the program has a flag of the same name.
    .enablePositionalOptions()
    .option('--sandbox', 'use an embedded academy with made-up data instead of a real one');
  addSettingFlags(program).action((options: Record<string, unknown>) =>
    serveCommand(context, readSettingFlags(options), options.sandbox === true),
  );
  return addSubcommands(program, context);
}

function hintOf(error: unknown): string {
  if (error instanceof UsageError) return ` See ${error.command} --help.`;
  return error instanceof AcademyError && error.hint !== undefined ? ` ${error.hint}` : '';
}

/** Writes one line that says what went wrong and how to fix it. */
function reportError(error: unknown, { stderr }: CommandContext): void {
  const message = error instanceof Error ? error.message : String(error);
  stderr.write(`${name}: ${message.replace(/(?<![.?])$/, '.')}${hintOf(error)}\n`);
}

async function runProgram(args: readonly string[], context: CommandContext): Promise<number> {
  try {
    await parse(buildProgram(context), args, context);
    return 0;
  } catch (error) {
    // What fails after Ctrl-C fails because of it.
    if (isInterrupted(context.signal)) return 0;
    reportError(error, context);
    return error instanceof UsageError || error instanceof FlagError ? 2 : 1;
  }
}

/**
 * Runs the command line. Exit code: 0 success or Ctrl-C, 1 a problem with a setting or the academy, 2 wrong usage or a
 * wrong value of a flag.
 */
export async function run(args: readonly string[], context: CommandContext): Promise<number> {
  const code = await runProgram(args, context);
  // A terminal shows "^C" and stays on that line.
  if (isInterrupted(context.signal)) context.stderr.write(`${context.isTerminal ? '\n' : ''}Stopped.\n`);
  return code;
}
