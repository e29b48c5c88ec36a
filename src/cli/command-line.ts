import { Command } from 'commander';
import { name, version } from '../version.ts';
import type { CommandContext } from './command-context.ts';
import { parse } from './parse-arguments.ts';
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

/** Runs a command line that has arguments. Throws what went wrong. */
export function runArguments(args: readonly string[], context: CommandContext): Promise<void> {
  return parse(buildProgram(context), args, context);
}
