import { rmdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { isObject } from '../../shared/json.ts';
import { type Backup, backupsOf, writeBackup } from './backups.ts';
import type { Client } from './clients.ts';
import { findEntry, withEntry, withoutEntry } from './edit-settings.ts';
import type { ServerEntry } from './entry.ts';
import { readText, replaceFile } from './files.ts';
import { copyFolderOf } from './server-command.ts';

/** The entry to remove. */
export interface Removal {
  readonly client: Client;
  readonly file: string;
  readonly name: string;
  /** The folder with the files of init. */
  readonly folder: string;
  /** The settings files of all clients. Files that another entry still refers to stay. */
  readonly allFiles: readonly string[];
}

/** How to take the entry out. */
interface Restoration {
  /** The text of the settings without the entry. Undefined: init made the file, so it is deleted. */
  readonly text: string | undefined;
  /** The backup that has the same bytes and is not needed any longer. */
  readonly backup: Backup | undefined;
}

/**
 * If nothing else changed since init wrote the entry, the file gets the bytes that it had before: adding the entry to the
 * backup gives the present text. Otherwise only the entry is cut out.
 */
function planRestoration({ client, file, name }: Removal, text: string): Restoration {
  const entry = findEntry(text, client, name) as ServerEntry;
  const isBefore = (before: string) =>
    findEntry(before, client, name) === undefined && withEntry(before, client, name, entry) === text;
  const backup = backupsOf(file).find((one) => isBefore(one.text));
  if (backup !== undefined) return { text: backup.text, backup };
  if (isBefore('')) return { text: undefined, backup: undefined };
  return { text: withoutEntry(text, client, name), backup: undefined };
}

/** Files of init that the entry refers to: its key file, and the copy of the program. */
function ownFilesOf(entry: unknown, folder: string): string[] {
  if (!isObject(entry)) return [];
  const key = isObject(entry.env) ? entry.env.ACADEMY_API_KEY_FILE : undefined;
  const [program] = Array.isArray(entry.args) ? entry.args : [];
  const copy = typeof program === 'string' ? copyFolderOf(program, folder) : undefined;
  return [typeof key === 'string' && dirname(key) === folder ? key : undefined, copy].filter(
    (path) => path !== undefined,
  );
}

/** Deletes files of init that no settings refer to any longer, and the folder if it is empty then. */
function deleteUnused(paths: readonly string[], { folder, allFiles }: Removal): string[] {
  const texts = allFiles.map((file) => readText(file) ?? '');
  const inJson = (path: string) => JSON.stringify(path).slice(1, -1);
  const unused = paths.filter((path) => !texts.some((text) => text.includes(inJson(path))));
  for (const path of unused) rmSync(path, { recursive: true, force: true });
  try {
    rmdirSync(folder);
  } catch {}
  return unused.map((path) => `Deleted ${path}.`);
}

function restore({ file, name }: Removal, { text, backup }: Restoration, before: string, now: Date): string[] {
  if (text === undefined) {
    rmSync(file);
    return [`Deleted ${file}, which had nothing but the server "${name}".`];
  }
  const removed = `Removed the server "${name}" from ${file}.`;
  const ownBackup = backup === undefined ? writeBackup(file, before, now) : undefined;
  replaceFile(file, text);
  if (backup !== undefined) rmSync(backup.path);
  return ownBackup === undefined ? [removed] : [removed, `The file as it was before: ${ownBackup}`];
}

/** Takes out what init wrote. Returns lines that say what was done. Throws `UnusableSettings`. */
export function uninstall(removal: Removal, isDryRun: boolean, now: Date): string[] {
  const { client, file, name, folder } = removal;
  const text = readText(file);
  const entry = text === undefined ? undefined : findEntry(text, client, name);
  if (text === undefined || entry === undefined) return [`${file} has no server "${name}"; nothing was changed.`];
  if (isDryRun) return [`Would remove the server "${name}" from ${file}.`, 'Nothing was written.'];
  const restored = restore(removal, planRestoration(removal, text), text, now);
  return [...restored, ...deleteUnused(ownFilesOf(entry, folder), removal)];
}
