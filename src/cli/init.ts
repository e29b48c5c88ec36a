import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Command, Option } from 'commander';
import { loadConfig } from '../config/load.ts';
import type { Flags } from '../config/setting-sources.ts';
import { type SettingName, settings } from '../config/settings.ts';
import { SettingsError } from '../shared/errors.ts';
import { addSettingFlags, type CommandContext, readSettingFlags } from './command-context.ts';
import {
  addArguments,
  addToClaude,
  type ClientId,
  clientIds,
  clients,
  commandText,
  ownFolder,
  removeArguments,
  runClaude,
  type ServerEntry,
  serverCommand,
} from './init/clients.ts';
import { askAcademy, askReadOnly, type CheckedAcademy, createPrompter, type Questions } from './init/questions.ts';
import { hasEntry, writeEntry } from './init/settings-file.ts';

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

/** `place`: undefined for a client that changes its settings itself. */
function targetOf({ client: id, sandbox }: InitFlags, context: CommandContext) {
  const client = clients[id];
  // Made-up and real data can be side by side.
  const name = sandbox ? 'academy-sandbox' : 'academy';
  const { fileOf, serversKey = 'mcpServers' } = client;
  const place = fileOf && { file: fileOf(context), serversKey, name };
  return { client, name, place, folder: ownFolder(context, id, name) };
}

/** A client starts the program in another folder, so paths are absolute. */
function flagVariables(flags: Flags): Record<string, string> {
  const given = (Object.entries(flags) as [SettingName, string][]).map(([name, text]) => {
    const { env, value = '' } = settings[name];
    const isPath = ['file', 'folder', 'place'].includes(value) && text !== 'off' && text !== 'memory';
    return [env, isPath ? resolve(text) : text];
  });
  return Object.fromEntries(given);
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
    // VS Code wants to be told.
    ...(target.place?.serversKey === 'servers' && { type: 'stdio' }),
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
function previewLines({ name, place }: Target, { entry, secret, copy }: Plan): string[] {
  return [
    ...(place === undefined
      ? ['Would run:', commandText(addArguments(name, entry))]
      : [`Would add to ${place.file}:`, JSON.stringify({ [place.serversKey]: { [name]: entry } }, undefined, 2)]),
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
function install({ client, name, place, folder }: Target, plan: Plan, context: CommandContext): string[] {
  const { entry, secret } = plan;
  if (secret !== undefined || plan.copy !== undefined) writeOwnFiles(folder, plan);
  if (place === undefined) addToClaude(name, entry, context);
  return [
    ...(place === undefined
      ? [`Claude Code has added the server "${name}" for all your projects.`]
      : writeEntry(place, entry)),
    ...(secret === undefined ? [] : [`The key is in ${secret.path}, which only you can read.`]),
    `${client.nextStep} Then ask: "What is my academy called?"`,
  ];
}

async function add(target: Target, { sandbox, dryRun }: InitFlags, questions: Questions): Promise<string[]> {
  const { context, flags } = questions;
  if (target.place !== undefined) hasEntry(target.place);
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

function remove({ name, place, folder }: Target, { dryRun }: InitFlags, context: CommandContext): string[] {
  const from = place?.file ?? 'Claude Code';
  if (place !== undefined && !hasEntry(place)) return [`${from} has no server "${name}"; nothing was changed.`];
  if (dryRun) return [`Would remove the server "${name}" from ${from}.`, 'Nothing was written.'];
  if (place === undefined) runClaude(removeArguments(name), context);
  const done = place === undefined ? [`Claude Code has removed the server "${name}".`] : writeEntry(place, undefined);
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
