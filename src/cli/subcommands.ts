import { Command, CommanderError } from 'commander';
import { oneLine } from '../shared/clean-text.ts';
import { didYouMean } from '../shared/similar-words.ts';
import { name, version } from '../version.ts';
import { addSettingFlags, type CommandContext, readSettingFlags, UsageError } from './command-context.ts';
import { serveCommand } from './stdio.ts';

type Subcommand = readonly [
  description: string,
  load: () => Promise<{ readonly createCommand: (context: CommandContext) => Command }>,
];

/** Each is loaded only when it is called, so that the server starts without loading the embedded academy. */
const subcommands: Readonly<Record<string, Subcommand>> = {
  init: ['connect Claude Desktop, Claude Code, Cursor or VS Code to an academy', () => import('./init.ts')],
  http: ['serve any number of clients over Streamable HTTP, at /mcp', () => import('./http.ts')],
  sandbox: ['run only the embedded academy, as an HTTP API', () => import('./sandbox.ts')],
  demo: ['ask an embedded academy real questions through a real MCP client', () => import('./demo.ts')],
  mirror: [
    'delete the mirror file, with everything that it holds of students',
    async () => (await import('./purge.ts')).mirror,
  ],
  journal: ['delete old lines of the journal of changes', async () => (await import('./purge.ts')).journal],
  doctor: [
    'check the settings and the real academy against the API document (at most 7 requests)',
    () => import('./doctor.ts'),
  ],
  openapi: ['print the API as an OpenAPI 3.1 document', () => import('./openapi.ts')],
};

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
    // "error: unknown option '--a'\n(Did you mean --b?)" becomes one line.
    const message = oneLine(error.message.replace(/^error: /, '').replace(/\n\((.*)\)$/, '. $1'), 500);
    if (error.exitCode !== 0) throw new UsageError(message, command.name());
  }
}

function buildProgram(context: CommandContext): Command {
  const program = new Command(name)
    .description('MCP server for an online academy. Without a command, serves one client on stdin and stdout.')
    .version(version)
    .option('--sandbox', 'use an embedded academy with made-up data instead of a real one');
  addSettingFlags(program).action((options: Record<string, unknown>) =>
    serveCommand(context, readSettingFlags(options), options.sandbox === true),
  );
  for (const [word, [description]] of Object.entries(subcommands)) {
    // Shown in the help. Only flags can stand before it here, and they would have no effect.
    const placeholder = program.command(word).description(description);
    placeholder.allowUnknownOption().allowExcessArguments();
    placeholder.action(() => {
      throw new UsageError(`write ${word} first, then its flags`, `${name} ${word}`);
    });
  }
  return program;
}

/** Runs a command line that has arguments: a command and its flags, or flags of the server. Throws what went wrong. */
export async function runArguments(args: readonly string[], context: CommandContext): Promise<void> {
  const words = args[0] === 'help' ? [...args.slice(1), '--help'] : args;
  const [first = '', ...flags] = words;
  if (first.startsWith('-')) return await parse(buildProgram(context), words, context);
  const subcommand = Object.hasOwn(subcommands, first) ? subcommands[first] : undefined;
  if (subcommand === undefined) {
    const names = Object.keys(subcommands);
    const known = `${didYouMean(first, names) || '.'} The commands are ${names.join(', ')}, help`;
    throw new UsageError(`unknown command '${oneLine(first, 60)}'${known}`, name);
  }
  const [description, load] = subcommand;
  const command = (await load()).createCommand(context);
  await parse(command.name(`${name} ${first}`).description(description), flags, context);
}
