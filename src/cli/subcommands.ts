import { Command, CommanderError } from 'commander';
import { closestMatch, didYouMean } from '../config/closest-match.ts';
import type { Flags } from '../config/setting-sources.ts';
import { oneLine } from '../shared/clean-text.ts';
import { name, version } from '../version.ts';
import { addSettingFlags, type CommandContext, readSettingFlags, UsageError } from './command-context.ts';
import { serveCommand } from './stdio.ts';

/** Suggests the command that was probably meant, and lists all commands. */
function unknownCommand(word: string, program: Command): UsageError {
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

interface Subcommand {
  name: string;
  description: string;
  /** Whether it reads the settings. Then it accepts their flags before its name as well. */
  readsSettings?: boolean;
  /** Whether it has the flag --sandbox. Then it accepts it before its name as well. */
  takesSandbox?: boolean;
  load(context: CommandContext, settings: Flags): Promise<Command>;
}

/** Each is loaded only when it is called, so that the server starts without loading the embedded academy. */
const subcommands: readonly Subcommand[] = [
  {
    name: 'init',
    description: 'connect Claude Desktop, Claude Code, Cursor or VS Code to an academy',
    readsSettings: true,
    takesSandbox: true,
    load: async (context, settings) => (await import('./init.ts')).initCommand(context, settings),
  },
  {
    name: 'http',
    description: 'serve any number of clients over Streamable HTTP',
    readsSettings: true,
    takesSandbox: true,
    load: async (context, settings) => (await import('./http.ts')).httpCommand(context, settings),
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
    readsSettings: true,
    load: async (context, settings) => (await import('./purge.ts')).mirrorCommand(context, settings),
  },
  {
    name: 'journal',
    description: 'delete old lines of the journal of changes',
    readsSettings: true,
    load: async (context, settings) => (await import('./purge.ts')).journalCommand(context, settings),
  },
  {
    name: 'doctor',
    description: 'check the settings and the real academy against the API document (at most 7 requests)',
    readsSettings: true,
    takesSandbox: true,
    load: async (context, settings) => (await import('./doctor.ts')).doctorCommand(context, settings),
  },
  {
    name: 'openapi',
    description: 'print the API as an OpenAPI 3.1 document',
    load: async (context) => (await import('./openapi.ts')).openapiCommand(context),
  },
];

/** Refuses a server flag before a command that does not use it: ignoring it would look as if it had an effect. */
function refuseFlags(program: Command, { name, readsSettings = false, takesSandbox = false }: Subcommand): void {
  const refused = program.options.find((option) => {
    const attribute = option.attributeName();
    const isAccepted = attribute === 'sandbox' ? takesSandbox : readsSettings;
    return program.getOptionValue(attribute) !== undefined && !isAccepted;
  });
  if (refused === undefined) return;
  const message = `${refused.long} is a flag of the server and has no effect on ${name}`;
  throw new UsageError(message, `${program.name()} ${name}`);
}

/** Placeholder in the list of commands. When called, it loads the real command and passes on all arguments. */
function lazyCommand(subcommand: Subcommand, program: Command, context: CommandContext): Command {
  return new Command(subcommand.name)
    .description(subcommand.description)
    .helpOption(false)
    .passThroughOptions()
    .allowUnknownOption()
    .allowExcessArguments()
    .action(async (_options: object, { args }: Command) => {
      refuseFlags(program, subcommand);
      const command = await subcommand.load(context, readSettingFlags(program.opts()));
      const sandbox = program.getOptionValue('sandbox') === true ? ['--sandbox'] : [];
      if (command.description() === '') command.description(subcommand.description);
      await parse(command.name(`${program.name()} ${subcommand.name}`), [...sandbox, ...args], context);
    });
}

/** Replaces commander's help command, which would show the help of the placeholder. */
function helpCommand(program: Command): Command {
  return new Command('help')
    .argument('[command]')
    .description('show the help of a command')
    .action(async (name: string | undefined) => {
      if (name === undefined) return program.outputHelp();
      const command = program.commands.find((known) => known.name() === name);
      if (command === undefined) throw unknownCommand(name, program);
      await command.parseAsync(['--help'], { from: 'user' });
    });
}

function addSubcommands(program: Command, context: CommandContext): Command {
  for (const subcommand of subcommands) program.addCommand(lazyCommand(subcommand, program, context));
  return program.addCommand(helpCommand(program));
}

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
