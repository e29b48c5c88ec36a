import { cpSync, rmdirSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { Command, Option } from 'commander';
import { loadConfig } from '../config/load.ts';
import type { Flags } from '../config/setting-sources.ts';
import { type SettingName, settings } from '../config/settings.ts';
import { SettingsError } from '../shared/errors.ts';
import type { CommandContext } from './command-context.ts';
import { addSettingFlags, readSettingFlags } from './command-context.ts';
import { addArguments, commandText, logFolder, removeArguments, runClaude } from './init/claude-code.ts';
import {
  type Client,
  type ClientId,
  clientIds,
  clientOf,
  entryName,
  keyInput,
  keyReference,
  ownFilesOf,
  ownFolder,
  type ServerCommand,
  type ServerEntry,
  serverCommand,
  settingsFileOf,
  startsAcademy,
  usesKeyInput,
} from './init/clients.ts';
import {
  askAcademy,
  askClient,
  askReadOnly,
  askTimeZone,
  type CheckedAcademy,
  createPrompter,
  type Questions,
} from './init/questions.ts';
import {
  findEntry,
  makeOwnFolder,
  readText,
  removeEntry,
  UnusableSettings,
  withEntry,
  writeOwnFile,
  writeSettings,
} from './init/settings-file.ts';

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
Asks for what is missing, checks the address and the key with one request, and connects the client to the server
"academy", or "academy-sandbox" with --sandbox. Other settings stay as they are, and the old file is kept as a backup.
Claude Code changes its settings itself: init runs "claude mcp add --scope user".
The key is never written into the settings of the client.
--remove takes out "academy", or "academy-sandbox" with --sandbox.
Flags of settings, such as --toolsets, are written into the entry.`;

/** The entry to write or remove. */
interface Target {
  readonly client: Client;
  /** The settings file of the client. */
  readonly file: string;
  readonly name: string;
}

function targetOf(id: ClientId, name: string, context: CommandContext): Target {
  return { client: clientOf(id), file: settingsFileOf(id, context), name };
}

/** The entry, and what it refers to. */
interface Plan {
  readonly entry: ServerEntry;
  /** The file to write the key into, if the entry refers to one of ours. */
  readonly secret: { readonly path: string; readonly key: string } | undefined;
  readonly copy: ServerCommand['copy'];
}

/** One file for each academy, so that two clients can use different ones. */
function keyFileOf({ baseUrl }: CheckedAcademy, folder: string): string {
  const name = `${baseUrl.host}${baseUrl.pathname}`.replace(/\/$/, '').replaceAll(/[^a-z0-9.-]/gi, '_');
  return join(folder, `${name}.key`);
}

/** A client starts the program in another folder, so paths are absolute. */
function flagVariables(flags: Flags): Record<string, string> {
  const given = Object.entries(flags) as [SettingName, string][];
  const absolute = (name: SettingName, text: string) => (name === 'auditLog' ? resolve(text) : text);
  return Object.fromEntries(given.map(([name, text]) => [settings[name].env, absolute(name, text)]));
}

/** `academy` is undefined with --sandbox. */
function planFor({ client }: Target, academy: CheckedAcademy | undefined, flags: Flags, context: CommandContext): Plan {
  const folder = ownFolder(context);
  const { command, program, copy } = serverCommand(context.runtime, context.program, folder);
  const { baseUrl: _, ...others } = flags;
  const start = client.hasType ? ({ type: 'stdio', command } as const) : { command };
  const variables = flagVariables(others);
  if (academy === undefined) {
    return { entry: { ...start, args: [program, '--sandbox'], env: variables }, secret: undefined, copy };
  }
  const isOurs = academy.file === undefined && !client.keepsSecrets;
  const path = academy.file ?? keyFileOf(academy, folder);
  // The academy was checked with these certificates, and clients do not read the profile of a shell.
  const { NODE_EXTRA_CA_CERTS: certificates } = context.environment;
  const env = {
    ACADEMY_BASE_URL: academy.baseUrl.href.replace(/\/$/, ''),
    ...(academy.file === undefined && client.keepsSecrets
      ? { ACADEMY_API_KEY: keyReference }
      : { ACADEMY_API_KEY_FILE: path }),
    ...variables,
    ...(certificates ? { NODE_EXTRA_CA_CERTS: resolve(certificates) } : {}),
  };
  return { entry: { ...start, args: [program], env }, secret: isOurs ? { path, key: academy.key } : undefined, copy };
}

/** What --dry-run shows. It has no secret: the key is in a file, or the client asks for it. */
function previewLines({ client, file, name }: Target, { entry, secret, copy }: Plan): string[] {
  const inputs = usesKeyInput(entry) ? { inputs: [keyInput] } : {};
  const settings = JSON.stringify({ ...inputs, [client.serversKey]: { [name]: entry } }, undefined, 2);
  return [
    ...(client.id === 'claude-code'
      ? ['Would run:', commandText(addArguments(name, entry))]
      : [`Would add to ${file}:`, settings]),
    ...(secret === undefined ? [] : [`Would write the key to ${secret.path}, which only you can read.`]),
    ...(copy === undefined ? [] : [`Would copy the program to ${copy.to}.`]),
  ];
}

/** The key and the program, which the entry refers to. */
function writeOwnFiles({ secret, copy }: Plan): void {
  if (secret !== undefined) writeOwnFile(secret.path, `${secret.key}\n`);
  if (copy === undefined) return;
  makeOwnFolder(dirname(copy.to));
  // Source maps are only for developers.
  cpSync(copy.from, copy.to, { recursive: true, filter: (path) => !path.endsWith('.map') });
  writeOwnFile(join(copy.to, 'package.json'), '{ "type": "module" }\n');
}

/** Writes the settings last: they refer to the other files. Returns lines that say what was done. */
function install({ client, file, name }: Target, plan: Plan, context: CommandContext): string[] {
  const { entry, secret } = plan;
  const before = readText(file) ?? '';
  const old = findEntry(before, client, name);
  const isClaude = client.id === 'claude-code';
  const after = isClaude ? '' : withEntry(before, client, name, entry);
  writeOwnFiles(plan);
  const lines: string[] = [];
  if (isClaude ? isDeepStrictEqual(old, entry) : after === before) {
    lines.push(`${file} has this server already; it was not changed.`);
  } else if (isClaude) {
    if (old !== undefined) runClaude(removeArguments(name), context);
    runClaude(addArguments(name, entry), context);
    lines.push(`Claude Code has added the server "${name}" for all your projects.`);
  } else {
    const backup = writeSettings(file, after, { keepsBackup: old !== undefined });
    lines.push(`Wrote the server "${name}" to ${file}.`, ...backup);
  }
  if (secret !== undefined) lines.push(`The key is in ${secret.path}, which only you can read.`);
  if (usesKeyInput(entry)) lines.push(`${client.name} asks for the key when it first starts the server, and keeps it.`);
  lines.push(`${client.nextStep} Then ask: "What is my academy called?"`);
  if (isClaude)
    lines.push(`If /mcp shows that it failed, the reason is in ${logFolder(context)}, in a folder mcp-logs-${name}.`);
  return lines;
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

async function add(target: Target, { sandbox, dryRun }: InitFlags, questions: Questions): Promise<string[]> {
  const { context, flags } = questions;
  refuseForeignEntry(target);
  if (flags.accountsFile !== undefined) {
    throw new SettingsError(
      'init connects a client to one academy, so --accounts-file cannot be used',
      'Leave it out.',
    );
  }
  // A wrong flag or program is an error before the first question.
  loadConfig({ baseUrl: 'https://localhost', ...flags }, { ACADEMY_API_KEY: 'not-asked-yet' });
  serverCommand(context.runtime, context.program, ownFolder(context));
  const academy = sandbox ? undefined : await askAcademy(questions);
  const timezone = await askTimeZone(questions);
  const readOnly = (await askReadOnly(questions)) ? { readOnly: 'true' } : {};
  const plan = planFor(target, academy, { ...flags, timezone, ...readOnly }, context);
  return dryRun ? previewLines(target, plan) : install(target, plan, context);
}

/** Deletes files of init that no settings refer to any longer, and the folder if it is empty then. */
function deleteUnused(paths: readonly string[], context: CommandContext): string[] {
  const texts = clientIds.map((id) => readText(settingsFileOf(id, context)) ?? '');
  const inJson = (path: string) => JSON.stringify(path).slice(1, -1);
  const unused = paths.filter((path) => !texts.some((text) => text.includes(inJson(path))));
  for (const path of unused) rmSync(path, { recursive: true, force: true });
  try {
    rmdirSync(ownFolder(context));
  } catch {}
  return unused.map((path) => `Deleted ${path}.`);
}

/** Removes the entry, and files of init that no settings refer to any longer. */
function remove(target: Target, { dryRun }: InitFlags, context: CommandContext): string[] {
  const { file, client, name } = target;
  refuseForeignEntry(target);
  const entry = findEntry(readText(file) ?? '', client, name);
  if (entry === undefined) return [`${file} has no server "${name}"; nothing was changed.`];
  if (dryRun) return [`Would remove the server "${name}" from ${file}.`, 'Nothing was written.'];
  const done = [`Removed the server "${name}" from ${file}.`];
  if (client.id === 'claude-code') runClaude(removeArguments(name), context);
  else done.push(...removeEntry(file, client, name));
  return [...done, ...deleteUnused(ownFilesOf(entry, ownFolder(context)), context)];
}

/** Adds or removes the entry. A file that init must not change is named, with what is wrong with it. */
async function change(target: Target, options: InitFlags, questions: Questions): Promise<string[]> {
  try {
    return options.remove ? remove(target, options, questions.context) : await add(target, options, questions);
  } catch (error) {
    if (!(error instanceof UnusableSettings)) throw error;
    throw new SettingsError(
      `${target.file} ${error.message}; nothing was changed`,
      'Correct the file, then try again.',
    );
  }
}

async function init(options: InitFlags, flags: Flags, context: CommandContext): Promise<void> {
  const { client, keyFile, keyStdin = false, sandbox = false, yes, dryRun = false, remove } = options;
  // Nothing depends on the answers: this only shows what would be written.
  const isPreview = sandbox && dryRun;
  const prompter = yes || keyStdin || isPreview ? undefined : createPrompter(context);
  try {
    const chosen = isPreview && client === undefined ? clientIds : [client ?? (await askClient(prompter))];
    for (const id of chosen) {
      const target = targetOf(id, entryName(sandbox), context);
      const lines = await change(target, options, { context, flags, prompter, keyFile, keyFromStdin: keyStdin });
      context.stdout.write(`${lines.join('\n')}\n`);
    }
    if (dryRun && !remove) context.stdout.write('Nothing was written.\n');
  } finally {
    prompter?.close();
  }
}

/**
 * `academy-mcp init`: connects a client to this server, or takes it out again. `before` are the flags before the
 * command's name; flags after it win.
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
