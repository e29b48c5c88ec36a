import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { readText, targetOf } from './files.ts';

// A backup is next to its file and has the same bytes and the same mode.

const mark = '.academy-mcp-backup-';

/** Writes a backup of a file that exists and returns its path. */
export function writeBackup(path: string, text: string, now: Date): string {
  const target = targetOf(path);
  const backup = `${target}${mark}${now.toISOString().replaceAll(/[:.]/g, '-')}`;
  writeFileSync(backup, text, { flag: 'wx', mode: statSync(target).mode & 0o777 });
  return backup;
}

export interface Backup {
  readonly path: string;
  readonly text: string;
}

/** The backups of a file, the newest first. */
export function backupsOf(path: string): Backup[] {
  const target = targetOf(path);
  const names = readdirSync(dirname(target)).filter((name) => name.startsWith(`${basename(target)}${mark}`));
  const paths = names
    .sort()
    .reverse()
    .map((name) => join(dirname(target), name));
  return paths.map((backup) => ({ path: backup, text: readText(backup) ?? '' }));
}
