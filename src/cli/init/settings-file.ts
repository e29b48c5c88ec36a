import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { applyEdits, modify, type ParseError, parse } from 'jsonc-parser';
import { SettingsError } from '../../shared/errors.ts';
import { isObject } from '../../shared/json.ts';
import type { ServerEntry } from './clients.ts';

// The settings file of a client: JSON with comments, which other programs and people write, too.

/** Windows editors put it first. It is not JSON, and stays where it is. */
const byteOrderMark = '\uFEFF';

export interface Place {
  readonly file: string;
  readonly serversKey: string;
  readonly name: string;
}

function refuse(file: string, problem: string, hint = 'Correct the file, then try again.'): never {
  throw new SettingsError(`${file} ${problem}; nothing was changed`, hint);
}

/** The text of a file; empty if there is none. Throws `SettingsError` if it is not UTF-8. */
function readText(file: string): string {
  if (!existsSync(file)) return '';
  try {
    // `ignoreBOM` keeps a byte order mark, so that the same bytes are written again.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readFileSync(file));
  } catch (error) {
    if (error instanceof TypeError) refuse(file, 'is not a text file in UTF-8');
    throw error;
  }
}

function serversIn(text: string, { file, serversKey }: Place): Readonly<Record<string, unknown>> {
  const errors: ParseError[] = [];
  const root: unknown =
    text.trim() === '' ? {} : parse(text.replace(byteOrderMark, ''), errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error !== undefined) refuse(file, `is not valid JSON (line ${text.slice(0, error.offset).split('\n').length})`);
  if (!isObject(root)) refuse(file, 'is not a JSON object');
  const { [serversKey]: servers = {} } = root;
  return isObject(servers) ? servers : refuse(file, `has "${serversKey}" that are not an object`);
}

/** Whether an entry starts this program, however it was written: by init, by a button or by hand. */
export const startsAcademy = (entry: unknown) => /academy-mcp|"ACADEMY_\w+":/.test(JSON.stringify(entry));

/** Whether the file has the server. Throws `SettingsError` for a file or an entry that init must not change. */
export function hasEntry(place: Place): boolean {
  const entry = serversIn(readText(place.file), place)[place.name];
  if (entry !== undefined && !startsAcademy(entry))
    refuse(place.file, `has a server "${place.name}" that starts another program`, 'Rename that entry first.');
  return entry !== undefined;
}

/** Sets a server or, with undefined, removes it. Comments and other settings stay. */
export function withEntry(text: string, { serversKey, name }: Place, entry: ServerEntry | undefined): string {
  const [, indent = '  '] = /\n([ \t]+)\S/.exec(text) ?? [];
  const insertSpaces = !indent.startsWith('\t');
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const formattingOptions = { insertSpaces, tabSize: insertSpaces ? indent.length : 1, eol };
  return applyEdits(text, modify(text, [serversKey, name], entry, { formattingOptions }));
}

const backupOf = (file: string) => `${file}.academy-mcp-backup`;

/** Writes the settings and, before, a copy of the old ones. Returns what it did. Only the owner can read a new file. */
export function writeEntry(place: Place, entry: ServerEntry | undefined): string[] {
  const { file, name } = place;
  const before = readText(file);
  const after = withEntry(before, place, entry);
  if (after === before) return [`${file} has this server already; it was not changed.`];
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const backup = existsSync(file) ? [`The file as it was before: ${backupOf(file)}`] : [];
  if (existsSync(file)) copyFileSync(file, backupOf(file));
  writeFileSync(file, after, { mode: 0o600 });
  return [
    entry === undefined ? `Removed the server "${name}" from ${file}.` : `Wrote the server "${name}" to ${file}.`,
    ...backup,
  ];
}
