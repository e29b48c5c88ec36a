import { isDeepStrictEqual } from 'node:util';
import {
  applyEdits,
  findNodeAtLocation,
  getNodeValue,
  type JSONPath,
  modify,
  type Node,
  type ParseError,
  parseTree,
} from 'jsonc-parser';
import { isObject } from '../../shared/json.ts';
import type { Client } from './clients.ts';
import { keyInput, type ServerEntry, usesKeyInput } from './entry.ts';

// Changes only what it must, so that comments, order and format of everything else stay.

/** The settings cannot be changed safely. `problem` continues a sentence that starts with the name of the file. */
export class UnusableSettings extends Error {}

/** New files begin as this. Some clients create an empty file first. */
const emptySettings = '{}\n';

function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

function parse(text: string): Node {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error !== undefined || root === undefined) {
    throw new UnusableSettings(`is not valid JSON (line ${lineOf(text, error?.offset ?? 0)})`);
  }
  if (root.type !== 'object') throw new UnusableSettings('is not a JSON object');
  return root;
}

function valueAt(text: string, path: JSONPath): unknown {
  const node = findNodeAtLocation(parse(text), path);
  return node === undefined ? undefined : getNodeValue(node);
}

/** The indentation and the line breaks that a text has already. */
function formatOf(text: string) {
  const [, indent = '  '] = /\n([ \t]+)\S/.exec(text) ?? [];
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  return { insertSpaces: !indent.startsWith('\t'), tabSize: indent.startsWith('\t') ? 4 : indent.length, eol };
}

/** Sets a value, or removes it if it is undefined. */
function setValue(text: string, path: JSONPath, value: unknown, isArrayInsertion = false): string {
  if (!isArrayInsertion && isDeepStrictEqual(valueAt(text, path), value)) return text;
  return applyEdits(text, modify(text, path, value, { formattingOptions: formatOf(text), isArrayInsertion }));
}

function setKeyInput(text: string): string {
  const inputs = valueAt(text, ['inputs']);
  if (inputs === undefined) return setValue(text, ['inputs'], [keyInput]);
  if (!Array.isArray(inputs)) throw new UnusableSettings('has "inputs" that are not a list');
  if (inputs.some((input) => isObject(input) && input.id === keyInput.id)) return text;
  return setValue(text, ['inputs', inputs.length], keyInput, true);
}

function removeKeyInput(text: string, { serversKey }: Client): string {
  const inputs = valueAt(text, ['inputs']);
  const servers = valueAt(text, [serversKey]);
  const isUsed = isObject(servers) && Object.values(servers).some(usesKeyInput);
  if (isUsed || !Array.isArray(inputs)) return text;
  const index = inputs.findIndex((input) => isObject(input) && input.id === keyInput.id);
  return index < 0 ? text : setValue(text, ['inputs', index], undefined);
}

/** Sets each part of an entry that exists. Other keys of the entry, and variables of other programs, stay. */
function updateEntry(text: string, path: JSONPath, old: Record<string, unknown>, entry: ServerEntry): string {
  const { env, ...parts } = entry;
  let updated = text;
  for (const [key, value] of Object.entries(parts)) updated = setValue(updated, [...path, key], value);
  if (!isObject(old.env)) return setValue(updated, [...path, 'env'], env);
  const stale = Object.keys(old.env).filter((name) => name.startsWith('ACADEMY_') && !(name in env));
  for (const name of stale) updated = setValue(updated, [...path, 'env', name], undefined);
  for (const [name, value] of Object.entries(env)) updated = setValue(updated, [...path, 'env', name], value);
  return updated;
}

/** The server of that name, or undefined. Throws `UnusableSettings`. */
export function findEntry(text: string, { serversKey }: Client, name: string): unknown {
  if (text.trim() === '') return undefined;
  const servers = valueAt(text, [serversKey]);
  if (servers !== undefined && !isObject(servers)) {
    throw new UnusableSettings(`has "${serversKey}" that are not an object`);
  }
  return servers?.[name];
}

/** Adds or updates a server. The same call on the result changes nothing. Throws `UnusableSettings`. */
export function withEntry(before: string, client: Client, name: string, entry: ServerEntry): string {
  const old = findEntry(before, client, name);
  const text = before.trim() === '' ? emptySettings : before;
  const path = [client.serversKey, name];
  const written = isObject(old) ? updateEntry(text, path, old, entry) : setValue(text, path, entry);
  return usesKeyInput(entry) ? setKeyInput(written) : written;
}

/** Removes a server, and the input of its key if no other server uses it. Throws `UnusableSettings`. */
export function withoutEntry(text: string, client: Client, name: string): string {
  return removeKeyInput(setValue(text, [client.serversKey, name], undefined), client);
}
