import { cpSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Flags } from '../../config/setting-sources.ts';
import { type SettingName, settings } from '../../config/settings.ts';
import type { CheckedAcademy } from './answers.ts';
import { writeBackup } from './backups.ts';
import type { Client } from './clients.ts';
import { withEntry } from './edit-settings.ts';
import { keyInput, keyReference, type ServerEntry, serverEntry } from './entry.ts';
import { makeOwnFolder, readText, replaceFile, writeSecret } from './files.ts';
import type { ProgramCopy, ServerCommand } from './server-command.ts';

/** Everything that init decided, before it writes anything. */
export interface Installation {
  readonly client: Client;
  /** The settings file of the client. */
  readonly file: string;
  /** The name of the entry in it. */
  readonly name: string;
  readonly entry: ServerEntry;
  /** The file to write the key into, if the entry refers to one of ours. */
  readonly secret: { readonly path: string; readonly key: string } | undefined;
  readonly copy: ProgramCopy | undefined;
}

interface Choices {
  readonly client: Client;
  readonly file: string;
  readonly name: string;
  /** Undefined with --sandbox. */
  readonly academy: CheckedAcademy | undefined;
  /** Settings to write, as their flags take them. */
  readonly flags: Flags;
  readonly server: ServerCommand;
  readonly folder: string;
  /** Path of extra certificates, which the academy was checked with. */
  readonly certificates: string | undefined;
}

/** One file for each academy, so that two clients can use different ones. */
function keyFileOf({ baseUrl }: CheckedAcademy, folder: string): string {
  const name = `${baseUrl.host}${baseUrl.pathname}`.replace(/\/$/, '').replaceAll(/[^a-z0-9.-]/gi, '_');
  return join(folder, `${name}.key`);
}

function keyVariables({ client, academy, folder }: Choices): Record<string, string> {
  if (academy === undefined) return {};
  const file = academy.file ?? (client.keepsSecrets ? undefined : keyFileOf(academy, folder));
  const key = file === undefined ? { ACADEMY_API_KEY: keyReference } : { ACADEMY_API_KEY_FILE: file };
  return { ACADEMY_BASE_URL: academy.baseUrl.href.replace(/\/$/, ''), ...key };
}

/** A client starts the program in another folder, so paths are absolute. */
function flagVariables(flags: Flags): Record<string, string> {
  const given = Object.entries(flags) as [SettingName, string][];
  const value = (name: SettingName, text: string) => (name === 'auditLog' ? resolve(text) : text);
  return Object.fromEntries(given.map(([name, text]) => [settings[name].env, value(name, text)]));
}

export function planInstallation(choices: Choices): Installation {
  const { client, file, name, academy, server, flags, folder, certificates } = choices;
  const { baseUrl: _, ...others } = flags;
  const isTrusted = academy !== undefined && certificates !== undefined;
  const trusted = isTrusted ? { NODE_EXTRA_CA_CERTS: resolve(certificates) } : {};
  const env = { ...keyVariables(choices), ...flagVariables(others), ...trusted };
  const args = academy === undefined ? [server.program, '--sandbox'] : [server.program];
  const entry = serverEntry(client, { command: server.command, args, env });
  const isOurs = academy !== undefined && academy.file === undefined && !client.keepsSecrets;
  const secret = isOurs ? { path: keyFileOf(academy, folder), key: academy.key } : undefined;
  return { client, file, name, entry, secret, copy: server.copy };
}

/** What --dry-run shows. It has no secret: the key is in a file, or the client asks for it. */
export function previewLines({ client, file, name, entry, secret, copy }: Installation): string[] {
  const inputs = Object.values(entry.env).includes(keyReference) ? { inputs: [keyInput] } : {};
  return [
    `Would add to ${file}:`,
    JSON.stringify({ ...inputs, [client.serversKey]: { [name]: entry } }, undefined, 2),
    ...(secret === undefined ? [] : [`Would write the key to ${secret.path}, which only you can read.`]),
    ...(copy === undefined ? [] : [`Would copy the program to ${copy.to}.`]),
    'Nothing was written.',
  ];
}

function writeSettings({ client, file, name, entry }: Installation, now: Date): string[] {
  const before = readText(file);
  const after = withEntry(before ?? '', client, name, entry);
  if (after === before) return [`${file} has this server already; it was not changed.`];
  const backup = before === undefined ? undefined : writeBackup(file, before, now);
  replaceFile(file, after);
  const wrote = `Wrote the server "${name}" to ${file}.`;
  return backup === undefined ? [wrote] : [wrote, `The file as it was before: ${backup}`];
}

/** Source maps are only for developers. */
function copyProgram({ from, to }: ProgramCopy): void {
  makeOwnFolder(dirname(to));
  cpSync(from, to, { recursive: true, filter: (path) => !path.endsWith('.map') });
  replaceFile(join(to, 'package.json'), '{ "type": "module" }\n');
}

function keyLines({ client, entry, secret }: Installation): string[] {
  if (secret !== undefined) return [`The key is in ${secret.path}, which only you can read.`];
  if (!Object.values(entry.env).includes(keyReference)) return [];
  return [`${client.name} asks for the key when it first starts the server, and keeps it.`];
}

/** Writes what was planned, the settings last: they refer to the other files. Returns lines that say what was done. */
export function install(installation: Installation, now: Date): string[] {
  const { client, secret, copy } = installation;
  // Fails before anything is written if the settings cannot be changed.
  withEntry(readText(installation.file) ?? '', client, installation.name, installation.entry);
  if (copy !== undefined) copyProgram(copy);
  if (secret !== undefined) writeSecret(secret.path, secret.key);
  const done = writeSettings(installation, now);
  const next = `${client.nextStep} Then ask: "What is my academy called?"`;
  return [...done, ...keyLines(installation), next];
}
