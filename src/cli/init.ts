import { existsSync, readdirSync } from 'node:fs';
import { Command, Option } from 'commander';
import { loadConfig } from '../config/load.ts';
import type { Flags } from '../config/setting-sources.ts';
import { SettingsError } from '../shared/errors.ts';
import type { CommandContext } from './command-context.ts';
import { askAcademy, askReadOnly, askTimeZone, type Questions } from './init/answers.ts';
import { askClient } from './init/ask-client.ts';
import { type Client, type ClientId, clientIds, clientOf, settingsFileOf } from './init/clients.ts';
import { UnusableSettings } from './init/edit-json.ts';
import { findEntry } from './init/edit-settings.ts';
import { entryName, startsAcademy } from './init/entry.ts';
import { readText } from './init/files.ts';
import { install, planInstallation, previewLines } from './init/install.ts';
import { ownFolder, windowsPackages } from './init/places.ts';
import { createPrompter } from './init/prompter.ts';
import { serverCommand } from './init/server-command.ts';
import { uninstall } from './init/uninstall.ts';
import { addSettingFlags, readSettingFlags } from './settings-flags.ts';

interface InitFlags extends Record<string, unknown> {
  client?: ClientId;
  sandbox?: true;
  keyFile?: string;
  keyStdin?: true;
  yes?: true;
  dryRun?: true;
  remove?: true;
}

const help = `
Asks for what is missing, checks the address and the key with one request, and writes the server "academy" into
the settings of the client, or "academy-sandbox" with --sandbox. Other settings stay as they are, and the old file
is kept as a backup. The key is never written into the settings of the client.
Without --sandbox, --remove takes out "academy" or, if there is none, "academy-sandbox".
Flags of settings, such as --toolsets, are written into the entry.`;

function settingsFile(id: ClientId, context: CommandContext): string {
  const folder = windowsPackages(context);
  const packages = folder !== undefined && existsSync(folder) ? readdirSync(folder) : [];
  return settingsFileOf(id, context, packages);
}

/** The entry to write or remove. */
interface Target {
  readonly client: Client;
  readonly file: string;
  readonly name: string;
}

/** Throws if the entry of this name starts another program. */
function refuseForeignEntry({ file, client, name }: Target): void {
  const entry = findEntry(readText(file) ?? '', client, name);
  if (entry === undefined || startsAcademy(entry)) return;
  throw new SettingsError(
    `${file} has a server "${name}" that starts another program; nothing was changed`,
    'Rename that entry first.',
  );
}

/** Removes the entry. Without --sandbox, that of the sandbox is removed if it is the only one. */
function remove(target: Target, { sandbox, dryRun }: InitFlags, context: CommandContext): string[] {
  const { file, client } = target;
  const text = readText(file) ?? '';
  const isWritten = (name: string) => startsAcademy(findEntry(text, client, name));
  const other = sandbox || !isWritten(entryName(true)) ? undefined : entryName(true);
  const isOnlyOne = other !== undefined && !isWritten(target.name);
  const chosen = isOnlyOne ? { ...target, name: other } : target;
  refuseForeignEntry(chosen);
  const allFiles = clientIds.map((id) => settingsFile(id, context));
  const lines = uninstall({ ...chosen, folder: ownFolder(context), allFiles }, dryRun === true, new Date());
  if (other === undefined || isOnlyOne) return lines;
  return [...lines, `There is also "${other}": add --sandbox to remove it.`];
}

async function add(target: Target, options: InitFlags, questions: Questions): Promise<string[]> {
  const { context, flags } = questions;
  const folder = ownFolder(context);
  const server = serverCommand(context.runtime, context.program, folder);
  if (flags.accountsFile !== undefined) {
    throw new SettingsError(
      'init connects a client to one academy, so --accounts-file cannot be used',
      'Leave it out.',
    );
  }
  // A wrong flag is an error before the first question.
  loadConfig({ baseUrl: 'https://localhost', ...flags }, { ACADEMY_API_KEY: 'not-asked-yet' });
  const academy = options.sandbox ? undefined : await askAcademy(questions);
  const timezone = await askTimeZone(questions);
  const readOnly = (await askReadOnly(questions)) ? { readOnly: 'true' } : {};
  const certificates = context.environment.NODE_EXTRA_CA_CERTS || undefined;
  const choices = { ...target, academy, flags: { ...flags, timezone, ...readOnly }, server, folder, certificates };
  const installation = planInstallation(choices);
  return options.dryRun ? previewLines(installation) : install(installation, new Date());
}

/** Adds or removes the entry. A file that init must not change is named, with what is wrong with it. */
async function change(target: Target, options: InitFlags, questions: Questions): Promise<string[]> {
  try {
    if (options.remove) return remove(target, options, questions.context);
    refuseForeignEntry(target);
    return await add(target, options, questions);
  } catch (error) {
    if (!(error instanceof UnusableSettings)) throw error;
    throw new SettingsError(
      `${target.file} ${error.message}; nothing was changed`,
      'Correct the file, then try again.',
    );
  }
}

async function init(options: InitFlags, flags: Flags, context: CommandContext): Promise<void> {
  const prompter = options.yes || options.keyStdin ? undefined : createPrompter(context);
  const { keyFile, keyStdin = false, sandbox = false } = options;
  try {
    const client = clientOf(options.client ?? (await askClient(prompter)));
    const target = { client, file: settingsFile(client.id, context), name: entryName(sandbox) };
    const lines = await change(target, options, { context, flags, prompter, keyFile, keyFromStdin: keyStdin });
    context.stdout.write(`${lines.join('\n')}\n`);
  } finally {
    prompter?.close();
  }
}

/**
 * `academy-mcp init`: writes this server into the settings of a client, or takes it out again. `before` are the flags
 * before the command's name; flags after it win.
 */
export function initCommand(context: CommandContext, before: Flags): Command {
  const command = new Command('init')
    .description('connect an MCP client: asks for address and key, checks them, and writes the settings of the client')
    .addOption(new Option('--client <client>', 'the client to connect').choices(clientIds))
    .option('--sandbox', 'connect to an embedded academy with made-up data instead of a real one')
    .option('--key-file <file>', 'file with the API key; the entry refers to it')
    .option('--key-stdin', 'read the API key from standard input, and ask no question')
    .option('--yes', 'ask no question; a missing answer is an error')
    .option('--dry-run', 'show what would be written, and write nothing')
    .option('--remove', 'remove what init wrote')
    .addHelpText('after', help);
  return addSettingFlags(command).action((options: InitFlags) =>
    init(options, { ...before, ...readSettingFlags(options) }, context),
  );
}
