import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
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
  const json = text.replace(byteOrderMark, '');
  const root: unknown = json.trim() === '' ? {} : parse(json, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error !== undefined) {
    throw new UnusableSettings(`is not valid JSON (line ${json.slice(0, error.offset).split('\n').length})`);
  }
  if (!isObject(root)) throw new UnusableSettings('is not a JSON object');
  return root;
}

function serversIn(text: string, { serversKey }: Client): Readonly<Record<string, unknown>> {
  const { [serversKey]: servers = {} } = valuesIn(text);
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

const isKeyInput = (input: unknown) => isObject(input) && input.id === keyInput.id;

function inputsIn(text: string): readonly unknown[] {
  const { inputs = [] } = valuesIn(text);
  if (!Array.isArray(inputs)) throw new UnusableSettings('has "inputs" that are not a list');
  return inputs;
}

function withKeyInput(text: string): string {
  const inputs = inputsIn(text);
  if (inputs.some(isKeyInput)) return text;
  const isNew = valuesIn(text).inputs === undefined;
  return isNew ? setValue(text, ['inputs'], [keyInput]) : setValue(text, ['inputs', inputs.length], keyInput, true);
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

/** Removes an entry of a list or an object and, if it was the only one, the list or object too. */
function withoutValue(text: string, key: string, at: string | number): string {
  const { [key]: all = {} } = valuesIn(text);
  return setValue(text, Object.keys(all as object).length > 1 ? [key, at] : [key], undefined);
}

/** Removes a server, and the input of its key if no other server uses it. Throws `UnusableSettings`. */
export function withoutEntry(before: string, client: Client, name: string): string {
  return edited(before, (text) => {
    const without = withoutValue(text, client.serversKey, name);
    const isUsed = Object.values(serversIn(without, client)).some(usesKeyInput);
    const index = isUsed ? -1 : inputsIn(without).findIndex(isKeyInput);
    return index < 0 ? without : withoutValue(without, 'inputs', index);
  });
}

/** Only the owner may read a new file: settings of clients and our own files hold secrets. */
const ownerOnly = 0o600;
const ownerOnlyFolder = 0o700;

/** The text of a file, or undefined if there is none. Throws `SettingsError` if it is not UTF-8 text. */
export function readText(path: string): string | undefined {
  if (!existsSync(path)) return undefined;
  try {
    // `ignoreBOM` keeps a byte order mark, so that the same bytes are written again.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readFileSync(path));
  } catch (error) {
    if (error instanceof TypeError) throw new SettingsError(`${path} is not a text file in UTF-8; it was not changed`);
    throw error;
  }
}

/**
 * Writes a text in one step, so that a reader sees the old file or the new one. `like`: the file whose mode and owner it
 * gets; otherwise only the owner can read it. A link at the path is replaced and not followed.
 */
function replaceFile(path: string, text: string, like?: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: ownerOnlyFolder });
  const rights = like === undefined ? undefined : statSync(like, { throwIfNoEntry: false });
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    writeFileSync(temporary, text, { flag: 'wx', mode: ownerOnly, flush: true });
    if (rights !== undefined) chmodSync(temporary, rights.mode & 0o777);
    try {
      // Only an administrator can give a file away.
      if (rights !== undefined) chownSync(temporary, rights.uid, rights.gid);
    } catch {}
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

/** The settings may be a link into a folder of the user, which stays. */
const targetOf = (path: string) => (existsSync(path) ? realpathSync(path) : path);

/** The file as it was before init wrote into it. Beside the file, with the same rights. */
const backupOf = (target: string) => `${target}.academy-mcp-backup`;

/** Writes the settings and, before the first change, a copy of the old ones. */
export function writeSettings(path: string, text: string, { keepsBackup }: { keepsBackup: boolean }): string[] {
  const target = targetOf(path);
  const before = readText(target);
  if (before !== undefined && !keepsBackup) replaceFile(backupOf(target), before, target);
  replaceFile(target, text, target);
  return existsSync(backupOf(target)) ? [`The file as it was before: ${backupOf(target)}`] : [];
}

const withoutSpace = (text: string) => text.replaceAll(/\s/g, '');

/** Removes a server from the settings. A file that had nothing else is deleted, and a backup that is the same is used. */
export function removeEntry(path: string, client: Client, name: string): string[] {
  const target = targetOf(path);
  const backup = readText(backupOf(target));
  const after = withoutEntry(readText(target) ?? '', client, name);
  if (backup === undefined && withoutSpace(after) === '{}') {
    rmSync(target);
    return [`Deleted ${path}, which had nothing but the server "${name}".`];
  }
  const isAsBefore = backup !== undefined && isDeepStrictEqual(valuesIn(after), valuesIn(backup));
  if (!isAsBefore || withoutSpace(after) !== withoutSpace(backup)) {
    return writeSettings(path, after, { keepsBackup: false });
  }
  replaceFile(target, backup, target);
  rmSync(backupOf(target));
  return [];
}
