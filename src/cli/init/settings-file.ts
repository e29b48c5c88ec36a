import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  closeSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { applyEdits, type JSONPath, modify, type ParseError, parse } from 'jsonc-parser';
import { SettingsError } from '../../shared/errors.ts';
import { isObject } from '../../shared/json.ts';
import { type Client, keyInput, type ServerEntry, usesKeyInput } from './clients.ts';

// The settings file of a client: JSON with comments, which other programs and people write, too.

/** The settings cannot be changed safely. The message continues a sentence that starts with the name of the file. */
export class UnusableSettings extends Error {}

/** Windows editors put it first. It is not JSON, and stays where it is. */
const byteOrderMark = '\uFEFF';

/** Throws `UnusableSettings` for a text that is not a JSON object. Comments and trailing commas are accepted. */
function valuesIn(text: string): Record<string, unknown> {
  const errors: ParseError[] = [];
  const root: unknown = text.trim() === '' ? {} : parse(text, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error !== undefined) {
    throw new UnusableSettings(`is not valid JSON (line ${text.slice(0, error.offset).split('\n').length})`);
  }
  if (!isObject(root)) throw new UnusableSettings('is not a JSON object');
  return root;
}

function serversIn(text: string, { serversKey }: Client): Readonly<Record<string, unknown>> {
  const { [serversKey]: servers = {} } = valuesIn(text.replace(byteOrderMark, ''));
  if (!isObject(servers)) throw new UnusableSettings(`has "${serversKey}" that are not an object`);
  return servers;
}

/** The server of that name, or undefined. Throws `UnusableSettings`. */
export function findEntry(text: string, client: Client, name: string): unknown {
  return serversIn(text, client)[name];
}

/**
 * Sets or, with undefined, removes the value at a path. Nothing else of the text changes: with its own formatting, `modify`
 * would format the lines around the change, too.
 */
function setValue(text: string, path: JSONPath, value: unknown, isArrayInsertion = false): string {
  const [, indent = '  '] = /\n([ \t]+)\S/.exec(text) ?? [];
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const outer = eol + indent.repeat(path.length - 1);
  const inner = outer + indent;
  const onOwnLines = (content: string) => {
    const [, comma, name = ''] = /^(,?)("(?:[^"\\]|\\.)*": ?)?/.exec(content) ?? [];
    const json = JSON.stringify(value, undefined, indent).replaceAll('\n', inner);
    if (comma) return `,${inner}${name}${json}`;
    return name === '' ? json : `${inner}${name}${json}${outer}`;
  };
  const edits = modify(text, path, value, { isArrayInsertion });
  return applyEdits(
    text,
    edits.map((edit) => (value === undefined ? edit : { ...edit, content: onOwnLines(edit.content) })),
  );
}

function edited(before: string, edit: (text: string) => string): string {
  const mark = before.startsWith(byteOrderMark) ? byteOrderMark : '';
  const text = before.slice(mark.length);
  return mark + edit(text.trim() === '' ? '{}\n' : text);
}

function isKeyInput(input: unknown): boolean {
  return isObject(input) && input.id === keyInput.id;
}

function inputsIn(text: string): readonly unknown[] | undefined {
  const { inputs } = valuesIn(text);
  if (inputs !== undefined && !Array.isArray(inputs)) throw new UnusableSettings('has "inputs" that are not a list');
  return inputs;
}

function withKeyInput(text: string): string {
  const inputs = inputsIn(text);
  if (inputs === undefined) return setValue(text, ['inputs'], [keyInput]);
  return inputs.some(isKeyInput) ? text : setValue(text, ['inputs', inputs.length], keyInput, true);
}

/** Other keys of an entry stay, and so do the variables of other programs. */
function merged(old: unknown, entry: ServerEntry): object {
  if (!isObject(old)) return entry;
  const env = isObject(old.env) ? Object.entries(old.env).filter(([name]) => !name.startsWith('ACADEMY_')) : [];
  return { ...old, ...entry, env: { ...Object.fromEntries(env), ...entry.env } };
}

/** Adds or updates a server. The same call on the result changes nothing. Throws `UnusableSettings`. */
export function withEntry(before: string, client: Client, name: string, entry: ServerEntry): string {
  return edited(before, (text) => {
    const old = findEntry(text, client, name);
    const next = merged(old, entry);
    const { serversKey } = client;
    const hasServers = valuesIn(text)[serversKey] !== undefined;
    const [path, value] = hasServers ? [[serversKey, name], next] : [[serversKey], { [name]: next }];
    const written = isDeepStrictEqual(old, next) ? text : setValue(text, path, value);
    return usesKeyInput(entry) ? withKeyInput(written) : written;
  });
}

/** Removes a server, and the input of its key if no other server uses it. Throws `UnusableSettings`. */
export function withoutEntry(before: string, client: Client, name: string): string {
  return edited(before, (text) => {
    const without = setValue(text, [client.serversKey, name], undefined);
    const isUsed = Object.values(serversIn(without, client)).some(usesKeyInput);
    const index = isUsed ? -1 : (inputsIn(without) ?? []).findIndex(isKeyInput);
    return index < 0 ? without : setValue(without, ['inputs', index], undefined);
  });
}

/** Only the owner may read a new file: settings of clients and our own files hold secrets. */
const ownerOnly = 0o600;
const ownerOnlyFolder = 0o700;

/** The file that a path leads to through symbolic links, even if that file does not exist yet. */
function targetOf(path: string): string {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined || !stats.isSymbolicLink()) return path;
  if (statSync(path, { throwIfNoEntry: false }) !== undefined) return realpathSync(path);
  return targetOf(resolve(dirname(path), readlinkSync(path)));
}

/** The text of a file, or undefined if there is none. Throws `SettingsError` if it is not UTF-8 text. */
export function readText(path: string): string | undefined {
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return undefined;
  try {
    // `ignoreBOM` keeps a byte order mark, so that the same bytes are written again.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readFileSync(path));
  } catch (error) {
    if (error instanceof TypeError) throw new SettingsError(`${path} is not a text file in UTF-8; it was not changed`);
    throw error;
  }
}

/** Gives a file the mode and the owner of the one that it replaces. Only an administrator can give a file away. */
function takeRights(path: string, { mode, uid, gid }: Stats): void {
  chmodSync(path, mode & 0o777);
  try {
    chownSync(path, uid, gid);
  } catch {}
}

/**
 * Writes a text in one step, so that a reader sees the old file or the new one. `like`: the file whose rights it gets;
 * otherwise only the owner can read it. A link at the path is replaced and not followed.
 */
function replaceFile(path: string, text: string, like?: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: ownerOnlyFolder });
  const rights = like === undefined ? undefined : statSync(like, { throwIfNoEntry: false });
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    const descriptor = openSync(temporary, 'wx', ownerOnly);
    try {
      writeFileSync(descriptor, text);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    if (rights !== undefined) takeRights(temporary, rights);
    renameSync(temporary, path);
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** Makes a folder that only its owner can open. */
export function makeOwnFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: ownerOnlyFolder });
  chmodSync(folder, ownerOnlyFolder);
}

/** A link may lead to a place that others read. */
function refuseLink(path: string, isRight: (stats: Stats) => boolean): void {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined || isRight(stats)) return;
  throw new SettingsError(`the key was not written: ${path} is a link or something else; remove it and start again`);
}

/** Writes a file that only its owner can read, in a folder that only its owner can open. Follows no link. */
export function writeOwnFile(path: string, text: string): void {
  refuseLink(dirname(path), (stats) => stats.isDirectory());
  makeOwnFolder(dirname(path));
  refuseLink(path, (stats) => stats.isFile());
  replaceFile(path, text);
}

/** The file as it was before init wrote into it. Beside the file, with the same rights. */
function backupOf(target: string): string {
  return `${target}.academy-mcp-backup`;
}

/** Writes the settings and keeps the old ones. The settings may be a link into a folder of the user, which stays. */
export function writeSettings(path: string, text: string, { keepsBackup }: { keepsBackup: boolean }): string[] {
  const target = targetOf(path);
  const before = readText(target);
  const backup = backupOf(target);
  if (before !== undefined && !keepsBackup) replaceFile(backup, before, target);
  replaceFile(target, text, target);
  return readText(backup) === undefined ? [] : [`The file as it was before: ${backup}`];
}

/**
 * Removes a server from the settings. If nothing else changed since init wrote it, the file gets the bytes that it had
 * before, or is deleted if there was none.
 */
export function removeEntry(path: string, client: Client, name: string): string[] {
  const target = targetOf(path);
  const text = readText(target) ?? '';
  const entry = findEntry(text, client, name) as ServerEntry;
  const backup = readText(backupOf(target));
  if (withEntry(backup ?? '', client, name, entry) !== text) {
    return writeSettings(path, withoutEntry(text, client, name), { keepsBackup: false });
  }
  if (backup === undefined) {
    rmSync(target);
    return [`Deleted ${path}, which had nothing but the server "${name}".`];
  }
  replaceFile(target, backup, target);
  rmSync(backupOf(target));
  return [];
}
