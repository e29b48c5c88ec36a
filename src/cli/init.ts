import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { Command, Option } from 'commander';
import { type Flags, loadConfig, readSecretFile, refuseExampleAddress, secretsOf } from '../config/load.ts';
import { type SettingName, settings } from '../config/settings.ts';
import { createRedactor } from '../mcp/output/redact.ts';
import { SettingsError } from '../shared/errors.ts';
import { addSettingFlags, type CommandContext, readSettingFlags, UsageError } from './command-context.ts';
import {
  addArguments,
  addToClaude,
  type ClientId,
  clientIds,
  clients,
  commandText,
  hasEntry,
  ownFolder,
  removeArguments,
  runClaude,
  type ServerEntry,
  serverCommand,
  writeEntry,
} from './init/clients.ts';
import { accountLines, openSession, readAccount } from './read-platform.ts';

/** Asks a person on a terminal, or reads one answer from each line of a pipe. */
function createPrompter({ stdin, stdout, signal, interrupt, isTerminal }: CommandContext) {
  let isMuted = false;
  // readline itself shows what is typed.
  const output = new Writable({
    write: (chunk, _encoding, done) => {
      if (!isMuted) stdout.write(chunk);
      done();
    },
  });
  const lines = createInterface({ input: stdin, output, terminal: isTerminal });
  // A pipe can deliver several lines at once, before they are asked for.
  const typed = lines[Symbol.asyncIterator]();
  // In raw mode, a terminal sends Ctrl-C as a character.
  lines.on('SIGINT', () => {
    interrupt();
    lines.close();
  });
  signal.addEventListener('abort', () => lines.close(), { once: true });

  return {
    /** Resolves to the line that is typed, trimmed. A hidden answer is not shown. */
    ask: async (question: string, { hidden = false } = {}): Promise<string> => {
      lines.setPrompt(question);
      if (isTerminal) lines.prompt();
      else stdout.write(question);
      isMuted = hidden;
      const { done, value } = await typed.next();
      isMuted = false;
      if (hidden || !isTerminal) stdout.write('\n');
      if (!done) return value.trim();
      throw new SettingsError(
        'the input ended before every question was answered',
        'Answer on a terminal, or give the answers as flags and add --yes.',
      );
    },
    close: () => lines.close(),
  };
}

interface Questions {
  readonly context: CommandContext;
  readonly flags: Flags;
  /** Undefined with --yes: then a missing answer is an error. */
  readonly prompter: ReturnType<typeof createPrompter> | undefined;
  readonly keyFile: string | undefined;
}

/** Asks for what is missing. With --yes, throws `UsageError` with that problem. */
function askFor({ prompter }: Questions, problem: string, question: string, options?: { hidden: true }) {
  if (prompter === undefined) throw new UsageError(problem, 'academy-mcp init');
  return prompter.ask(question, options);
}

async function findKey(questions: Questions): Promise<{ key: string; file: string | undefined }> {
  const { context, keyFile } = questions;
  const { ACADEMY_API_KEY: fromVariable, ACADEMY_API_KEY_FILE: fromFile } = context.environment;
  const file = keyFile || fromFile;
  if (file)
    return { key: readSecretFile(file, keyFile ? '--key-file' : 'ACADEMY_API_KEY_FILE').trim(), file: resolve(file) };
  if (fromVariable) return { key: fromVariable.trim(), file: undefined };
  const problem = 'the key is missing: set ACADEMY_API_KEY, or add --key-file';
  const question = 'API key (it is not shown while you type): ';
  return { key: await askFor(questions, problem, question, { hidden: true }), file: undefined };
}

/** An academy that answered with this address and key. */
type CheckedAcademy = Awaited<ReturnType<typeof askAcademy>>;

/** Finds or asks for the address and the key, and reads the account with them. Prints what it is. */
async function askAcademy(questions: Questions) {
  const { context, flags } = questions;
  const { LOG_LEVEL, ACADEMY_BASE_URL } = context.environment;
  const question = 'Address of the academy, such as https://academy.example.com: ';
  const known = flags.baseUrl ?? (ACADEMY_BASE_URL || undefined);
  const baseUrl = known ?? (await askFor(questions, 'the address is missing: add --base-url', question));
  const found = await findKey(questions);
  const config = loadConfig({ ...flags, baseUrl }, { LOG_LEVEL, ACADEMY_API_KEY: found.key });
  refuseExampleAddress(config);
  const session = openSession(config, context);
  try {
    const lines = createRedactor(secretsOf(config))(accountLines(await readAccount(session)));
    context.stdout.write(`${lines.join('\n')}\n`);
  } finally {
    await session.api.close();
  }
  return { ...found, baseUrl: config.baseUrl };
}

async function askReadOnly({ flags, prompter }: Questions): Promise<boolean> {
  if (flags.readOnly !== undefined || prompter === undefined) return flags.readOnly === 'true';
  const answer = await prompter.ask('Begin in read-only mode, in which the assistant can change nothing? [Y/n]: ');
  return !/^no?$/i.test(answer);
}

interface InitFlags extends Record<string, unknown> {
  client: ClientId;
  sandbox?: true;
  keyFile?: string;
  yes?: true;
  dryRun?: true;
  remove?: true;
}

const help = `
Asks for what is missing, checks the address and the key with one request, and connects the client to the server
"academy", or "academy-sandbox" with --sandbox. Other settings stay, and the old file is kept as a backup.
Claude Code changes its settings itself: init runs "claude mcp add --scope user".
The key is never written into the settings of the client: it is in a file that only you can read.
--remove takes out "academy", or "academy-sandbox" with --sandbox, and deletes that file.
Flags of settings, such as --toolsets, are written into the entry. The time zone is that of this computer, or --timezone.`;

type Target = ReturnType<typeof targetOf>;

/** `location`: undefined for a client that changes its settings itself. */
function targetOf({ client: id, sandbox }: InitFlags, context: CommandContext) {
  const client = clients[id];
  // Made-up and real data can be side by side.
  const name = sandbox ? 'academy-sandbox' : 'academy';
  const { fileOf, serversKey = 'mcpServers' } = client;
  const location = fileOf && { file: fileOf(context), serversKey, name };
  return { client, name, location, folder: ownFolder(context, id, name) };
}

/** A client starts the program in another folder, so paths are absolute. */
function flagVariables(flags: Flags): Record<string, string> {
  const values = (Object.entries(flags) as [SettingName, string][]).map(([name, text]) => {
    const { env, value = '' } = settings[name];
    const isPath = ['file', 'folder', 'place'].includes(value) && text !== 'off' && text !== 'memory';
    return [env, isPath ? resolve(text) : text];
  });
  return Object.fromEntries(values);
}

type Plan = ReturnType<typeof planFor>;

/** `academy`: undefined with --sandbox. `secret`: the file to write the key into, if the entry refers to one of ours. */
function planFor(target: Target, academy: CheckedAcademy | undefined, flags: Flags, context: CommandContext) {
  const { command, program, copy } = serverCommand(context.runtime, context.program, target.folder);
  const { baseUrl: _, ...others } = flags;
  const path = academy?.file ?? join(target.folder, 'key');
  // The academy was checked with these certificates, and clients do not read the profile of a shell.
  const { NODE_EXTRA_CA_CERTS: certificates } = context.environment;
  const entry: ServerEntry = {
    // VS Code requires it.
    ...(target.location?.serversKey === 'servers' && { type: 'stdio' }),
    command,
    args: academy === undefined ? [program, '--sandbox'] : [program],
    env: {
      ...(academy && { ACADEMY_BASE_URL: academy.baseUrl.href.replace(/\/$/, ''), ACADEMY_API_KEY_FILE: path }),
      ...flagVariables(others),
      ...(academy && certificates && { NODE_EXTRA_CA_CERTS: resolve(certificates) }),
    },
  };
  return { entry, secret: academy && academy.file === undefined ? { path, key: academy.key } : undefined, copy };
}

/** What --dry-run shows. It has no secret: the key is in a file. */
function previewLines({ name, location }: Target, { entry, secret, copy }: Plan): string[] {
  return [
    ...(location === undefined
      ? ['Would run:', commandText(addArguments(name, entry))]
      : [`Would add to ${location.file}:`, JSON.stringify({ [location.serversKey]: { [name]: entry } }, undefined, 2)]),
    ...(secret === undefined ? [] : [`Would write the key to ${secret.path}, which only you can read.`]),
    ...(copy === undefined ? [] : [`Would copy the program to ${copy.to}.`]),
    'Nothing was written.',
  ];
}

/** The key and the program, which the entry refers to. Links in the place of our files are replaced and not followed. */
function writeOwnFiles(folder: string, { secret, copy }: Plan): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (secret !== undefined) {
    rmSync(secret.path, { force: true });
    writeFileSync(secret.path, `${secret.key}\n`, { flag: 'wx', mode: 0o600 });
  }
  if (copy === undefined) return;
  // Source maps are only for developers.
  cpSync(copy.from, copy.to, { recursive: true, filter: (path) => !path.endsWith('.map') });
  writeFileSync(join(copy.to, 'package.json'), '{ "type": "module" }\n');
}

/** Writes the settings last: they refer to the other files. Returns lines that say what was done. */
function install({ client, name, location, folder }: Target, plan: Plan, context: CommandContext): string[] {
  const { entry, secret } = plan;
  if (secret !== undefined || plan.copy !== undefined) writeOwnFiles(folder, plan);
  if (location === undefined) addToClaude(name, entry, context);
  return [
    ...(location === undefined
      ? [`Claude Code has added the server "${name}" for all your projects.`]
      : writeEntry(location, entry)),
    ...(secret === undefined ? [] : [`The key is in ${secret.path}, which only you can read.`]),
    `${client.nextStep} Then ask: "What is my academy called?"`,
  ];
}

async function add(target: Target, { sandbox, dryRun }: InitFlags, questions: Questions): Promise<string[]> {
  const { context, flags } = questions;
  if (target.location !== undefined) hasEntry(target.location);
  if (flags.accountsFile !== undefined) {
    throw new SettingsError(
      'init connects a client to one academy, so --accounts-file cannot be used',
      'Leave it out.',
    );
  }
  // A wrong flag or program is an error before the first question.
  loadConfig({ baseUrl: 'https://localhost', ...flags }, { ACADEMY_API_KEY: 'not-asked-yet' });
  serverCommand(context.runtime, context.program, target.folder);
  const academy = sandbox ? undefined : await askAcademy(questions);
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  const readOnly = (await askReadOnly(questions)) ? { readOnly: 'true' } : {};
  const plan = planFor(target, academy, { timezone: timeZone, ...flags, ...readOnly }, context);
  return dryRun ? previewLines(target, plan) : install(target, plan, context);
}

function remove({ name, location, folder }: Target, { dryRun }: InitFlags, context: CommandContext): string[] {
  const from = location?.file ?? 'Claude Code';
  if (location !== undefined && !hasEntry(location)) return [`${from} has no server "${name}"; nothing was changed.`];
  if (dryRun) return [`Would remove the server "${name}" from ${from}.`, 'Nothing was written.'];
  if (location === undefined) runClaude(removeArguments(name), context);
  const done =
    location === undefined ? [`Claude Code has removed the server "${name}".`] : writeEntry(location, undefined);
  rmSync(folder, { recursive: true, force: true });
  return done;
}

async function init(options: InitFlags, flags: Flags, context: CommandContext): Promise<void> {
  const { keyFile, yes } = options;
  const target = targetOf(options, context);
  const prompter = yes || options.remove ? undefined : createPrompter(context);
  try {
    const lines = options.remove
      ? remove(target, options, context)
      : await add(target, options, { context, flags, prompter, keyFile });
    context.stdout.write(`${lines.join('\n')}\n`);
  } finally {
    prompter?.close();
  }
}

export function createCommand(context: CommandContext): Command {
  const command = new Command('init')
    .addOption(new Option('--client <client>', 'the client to connect').choices(clientIds).makeOptionMandatory())
    .option('--sandbox', 'connect to an embedded academy with made-up data instead of a real one')
    .option('--key-file <file>', 'file with the API key; the entry refers to it')
    .option('--yes', 'ask no question; a missing answer is an error')
    .option('--dry-run', 'show what would be written, and write nothing')
    .option('--remove', 'remove what init wrote')
    .addHelpText('after', help);
  return addSettingFlags(command).action((options: InitFlags) => init(options, readSettingFlags(options), context));
}
