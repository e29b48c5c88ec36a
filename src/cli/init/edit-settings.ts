import type { JSONPath } from 'jsonc-parser';
import { isObject } from '../../shared/json.ts';
import type { Client } from './clients.ts';
import { addMember, removeMember, setMember, UnusableSettings, valueAt } from './edit-json.ts';
import { keyInput, type ServerEntry, usesKeyInput } from './entry.ts';

// Changes only what it must, so that comments, order and format of everything else stay.

/** New files begin as this. Some clients create an empty file first. */
const emptySettings = '{}\n';

/** Windows editors put it first. It is not JSON, and stays where it is. */
const byteOrderMark = '\uFEFF';

function keepingMark(text: string, edit: (text: string) => string): string {
  return text.startsWith(byteOrderMark) ? byteOrderMark + edit(text.slice(1)) : edit(text);
}

function isKeyInput(input: unknown): boolean {
  return isObject(input) && input.id === keyInput.id;
}

function setKeyInput(text: string): string {
  const inputs = valueAt(text, ['inputs']);
  if (inputs === undefined) return addMember(text, [], 'inputs', [keyInput]);
  if (!Array.isArray(inputs)) throw new UnusableSettings('has "inputs" that are not a list');
  return inputs.some(isKeyInput) ? text : addMember(text, ['inputs'], undefined, keyInput);
}

function removeKeyInput(text: string, { serversKey }: Client): string {
  const inputs = valueAt(text, ['inputs']);
  const servers = valueAt(text, [serversKey]);
  const isUsed = isObject(servers) && Object.values(servers).some(usesKeyInput);
  const index = Array.isArray(inputs) ? inputs.findIndex(isKeyInput) : -1;
  return isUsed || index < 0 ? text : removeMember(text, ['inputs', index]);
}

function addEntry(text: string, { serversKey }: Client, name: string, entry: ServerEntry): string {
  if (valueAt(text, [serversKey]) === undefined) return addMember(text, [], serversKey, { [name]: entry });
  return setMember(text, [serversKey], name, entry);
}

/** Sets each part of an entry that exists. Other keys of the entry, and variables of other programs, stay. */
function updateEntry(text: string, path: JSONPath, old: Record<string, unknown>, entry: ServerEntry): string {
  const { env, ...parts } = entry;
  let updated = text;
  for (const [key, value] of Object.entries(parts)) updated = setMember(updated, path, key, value);
  if (!isObject(old.env)) return setMember(updated, path, 'env', env);
  const stale = Object.keys(old.env).filter((name) => name.startsWith('ACADEMY_') && !(name in env));
  for (const name of stale) updated = removeMember(updated, [...path, 'env', name]);
  for (const [name, value] of Object.entries(env)) updated = setMember(updated, [...path, 'env'], name, value);
  return updated;
}

function findServer(text: string, { serversKey }: Client, name: string): unknown {
  const servers = valueAt(text, [serversKey]);
  if (servers !== undefined && !isObject(servers)) {
    throw new UnusableSettings(`has "${serversKey}" that are not an object`);
  }
  return servers?.[name];
}

/** The server of that name, or undefined. Throws `UnusableSettings`. */
export function findEntry(text: string, client: Client, name: string): unknown {
  return text.trim() === '' ? undefined : findServer(text.replace(byteOrderMark, ''), client, name);
}

/** Adds or updates a server. The same call on the result changes nothing. Throws `UnusableSettings`. */
export function withEntry(before: string, client: Client, name: string, entry: ServerEntry): string {
  return keepingMark(before.trim() === '' ? emptySettings : before, (text) => {
    const old = findServer(text, client, name);
    const path = [client.serversKey, name];
    const written = isObject(old) ? updateEntry(text, path, old, entry) : addEntry(text, client, name, entry);
    return usesKeyInput(entry) ? setKeyInput(written) : written;
  });
}

/** Removes a server, and the input of its key if no other server uses it. Throws `UnusableSettings`. */
export function withoutEntry(before: string, client: Client, name: string): string {
  return keepingMark(before, (text) => removeKeyInput(removeMember(text, [client.serversKey, name]), client));
}
