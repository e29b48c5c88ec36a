import { Command, CommanderError } from 'commander';
import { closestMatch } from '../config/closest-match.ts';
import { oneLine } from '../shared/clean-text.ts';
import { name, version } from '../version.ts';
import { addSettingFlags, type CommandContext, readSettingFlags, UsageError } from './command-context.ts';
import { serveCommand } from './stdio.ts';

interface Subcommand {
  readonly name: string;
  readonly description: string;
  load(context: CommandContext): Promise<Command>;
}

/** Each is loaded only when it is called, so that the server starts without loading the embedded academy. */
const subcommands: readonly Subcommand[] = [
  {
    name: 'init',
    description: 'connect Claude Desktop, Claude Code, Cursor or VS Code to an academy',
    load: async (context) => (await import('./init.ts')).initCommand(context),
  },
  {
    name: 'http',
    description: 'serve any number of clients over Streamable HTTP, at /mcp',
    load: async (context) => (await import('./http.ts')).httpCommand(context),
  },
  {
    name: 'sandbox',
    description: 'run only the embedded academy, as an HTTP API',
    load: async (context) => (await import('./sandbox.ts')).sandboxCommand(context),
  },
  {
    name: 'demo',
    description: 'ask an embedded academy real questions through a real MCP client',
    load: async (context) => (await import('./demo.ts')).demoCommand(context),
  },
  {
    name: 'mirror',
    description: 'delete the mirror file, with everything that it holds of students',
    load: async (context) => (await import('./purge.ts')).mirrorCommand(context),
  },
  {
    name: 'journal',
    description: 'delete old lines of the journal of changes',
    load: async (context) => (await import('./purge.ts')).journalCommand(context),
  },
  {
    name: 'doctor',
    description: 'check the settings and the real academy against the API document (at most 7 requests)',
    load: async (context) => (await import('./doctor.ts')).doctorCommand(context),
  },
  {
    name: 'openapi',
    description: 'print the API as an OpenAPI 3.1 document',
    load: async (context) => (await import('./openapi.ts')).openapiCommand(context),
  },
];

/** Suggests the command that was probably meant, and lists all commands. */
function unknownCommand(word: string): UsageError {
  const names = subcommands.map((subcommand) => subcommand.name);
  const match = closestMatch(word, names);
  const suggestion = match === undefined ? '' : ` Did you mean ${match}?`;
  return new UsageError(
    `unknown command '${oneLine(word, 60)}'.${suggestion} The commands are ${names.join(', ')}, help`,
    name,
  );
}

/** Turns commander's "error: unknown option '--a'\n(Did you mean --b?)" into one line. */
function oneLineMessage(message: string): string {
  return oneLine(message.replace(/^error: /, '').replace(/\n\((.*)\)$/, '. $1'), 500);
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
    if (error.exitCode !== 0) throw new UsageError(oneLineMessage(error.message), command.name());
  }
}

/** Shown in the help. Only flags can stand before it here, and they would have no effect. */
function placeholder({ name: word, description }: Subcommand): Command {
  return new Command(word)
    .description(description)
    .allowUnknownOption()
    .allowExcessArguments()
    .action(() => {
      throw new UsageError(`write ${word} first, then its flags`, `${name} ${word}`);
    });
}

function buildProgram(context: CommandContext): Command {
  const program = new Command(name)
    .description('MCP server for an online academy. Without a command, serves one client on stdin and stdout.')
    .version(version)
    .option('--sandbox', 'use an embedded academy with made-up data instead of a real one');
  addSettingFlags(program).action((options: Record<string, unknown>) =>
    serveCommand(context, readSettingFlags(options), options.sandbox === true),
  );
  for (const subcommand of subcommands) program.addCommand(placeholder(subcommand));
  return program;
}

/** Runs a command line that has arguments: a command and its flags, or flags of the server. Throws what went wrong. */
export async function runArguments(args: readonly string[], context: CommandContext): Promise<void> {
  const words = args[0] === 'help' ? [...args.slice(1), '--help'] : args;
  const [first = '', ...flags] = words;
  if (first.startsWith('-')) return await parse(buildProgram(context), words, context);
  const subcommand = subcommands.find((known) => known.name === first);
  if (subcommand === undefined) throw unknownCommand(first);
  const command = await subcommand.load(context);
  await parse(command.name(`${name} ${first}`).description(subcommand.description), flags, context);
}
