import { Command, CommanderError } from 'commander';
import { AcademyError } from '../errors.ts';
import { name, version } from '../version.ts';
import type { CommandContext } from './context.ts';
import { serve } from './serve.ts';
import { addSettingFlags, readSettingFlags } from './settings-flags.ts';

interface Subcommand {
  description: string;
  load(context: CommandContext): Promise<Command>;
}

/** Loaded only when called: a client that starts the server should not wait for the embedded academy. */
const subcommands: Record<string, Subcommand> = {
  sandbox: {
    description: 'run the embedded academy alone, as an HTTP API',
    load: async ({ stdout, signal }) => {
      const { sandboxCommand } = await import('./sandbox.ts');
      return sandboxCommand({ write: (line) => stdout.write(`${line}\n`), signal });
    },
  },
  demo: {
    description: 'ask an embedded academy real questions through a real MCP client',
    load: async (context) => (await import('./demo.ts')).demoCommand(context),
  },
  doctor: {
    description: 'check the settings against the real account (one request)',
    load: async (context) => (await import('./doctor.ts')).doctorCommand(context),
  },
};

async function buildProgram(args: readonly string[], context: CommandContext): Promise<Command> {
  const program = new Command(name)
    .description('MCP server for an online academy. Without a command: serves one client on stdin and stdout.')
    .version(version)
    // A flag behind a command is the command's, even where the program has one of the same name.
    .enablePositionalOptions()
    .option('--sandbox', 'serve an embedded academy with made-up data instead of a real one')
    .showHelpAfterError('(see academy-mcp --help)');
  addSettingFlags(program).action((options: Record<string, unknown>) =>
    serve(context, readSettingFlags(options), options.sandbox === true),
  );
  const called = Object.keys(subcommands).find((command) => args.includes(command));
  for (const [command, { description, load }] of Object.entries(subcommands)) {
    program.addCommand(command === called ? await load(context) : new Command(command).description(description));
  }
  return program;
}

function settleOutput(program: Command, { stdout, stderr }: CommandContext): void {
  for (const command of [program, ...program.commands]) {
    command
      .exitOverride()
      .configureOutput({ writeOut: (text) => stdout.write(text), writeErr: (text) => stderr.write(text) });
  }
}

/** One line for what went wrong, and how to mend it. */
function tell(error: unknown, { stderr }: CommandContext): void {
  const message = error instanceof Error ? error.message : String(error);
  const hint = error instanceof AcademyError && error.hint !== undefined ? ` ${error.hint}` : '';
  stderr.write(`${name}: ${message.replace(/\.$/, '')}.${hint}\n`);
}

/** Runs the command line. Exit code: 0 done, 1 a setting or the academy stands in the way, 2 wrong usage. */
export async function run(args: readonly string[], context: CommandContext): Promise<number> {
  try {
    const program = await buildProgram(args, context);
    settleOutput(program, context);
    await program.parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    // Commander has said it already; its own code 0 is --help and --version.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    tell(error, context);
    return 1;
  }
}
