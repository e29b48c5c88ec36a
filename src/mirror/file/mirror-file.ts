import {
  closeSync,
  constants,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  type Stats,
} from 'node:fs';
import { platform } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { SettingsError } from '../../shared/errors.ts';

// The file of ACADEMY_MIRROR and the files beside it: `.lock` of the process that fills it, `.new-<pid>` while it is
// saved, and `.damaged-<time>` that was set aside.

/** Others must not read it: it holds names and emails. */
const othersMay = 0o077;

export const lockOf = (file: string): string => `${file}.lock`;

function refuse(problem: string): never {
  throw new SettingsError(`ACADEMY_MIRROR cannot be used: ${problem}`);
}

function refuseUnsafe(stats: Stats): void {
  if (stats.isSymbolicLink()) refuse('it is a symbolic link; name the file itself');
  if (!stats.isFile()) refuse('it must be a regular file, not a directory, device, pipe or socket');
  // Windows has no such permissions: every file seems readable for all.
  if (platform() !== 'win32' && (stats.mode & othersMay) !== 0) refuse('other users can read it; run chmod 600 on it');
}

/** What identifies one version of the file; undefined if there is none. Throws `SettingsError` for an unsafe file. */
export function versionOf(file: string): string | undefined {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  refuseUnsafe(stats);
  return `${stats.ino} ${stats.size} ${stats.mtimeMs}`;
}

/** Makes a rename last after a power cut. Windows cannot open a folder. */
function syncFolder(file: string): void {
  if (platform() === 'win32') return;
  const descriptor = openSync(dirname(file), constants.O_RDONLY);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** The name under which this process writes a new version. */
export function newVersionOf(file: string, pid: number): string {
  return `${file}.new-${pid}`;
}

/** Puts a new version in the place of the old one, at once: a reader sees either. */
export function replaceFile(file: string, version: string): void {
  versionOf(file);
  renameSync(version, file);
  syncFolder(file);
}

/** Moves a file that cannot be trusted out of the way, for a person to look at. Returns its new name. */
export function setAside(file: string, now: Date): string {
  const aside = `${file}.damaged-${now.toISOString().replace(/[:.]/g, '-')}`;
  renameSync(file, aside);
  return aside;
}

/** The files that belong to a mirror file, with itself. */
export function filesOf(file: string): string[] {
  const own = basename(file);
  const folder = dirname(file);
  const isOwn = (name: string) => name === own || /^\.(lock|new-\d+|damaged-[\dTZ-]+)$/.test(name.slice(own.length));
  return readdirSync(folder)
    .filter((name) => name.startsWith(own) && isOwn(name))
    .map((name) => join(folder, name));
}

/** Removes versions that ended processes left unfinished. */
export function removeUnfinished(file: string, isRunning: (pid: number) => boolean): void {
  for (const path of filesOf(file)) {
    const pid = Number(/\.new-(\d+)$/.exec(path)?.[1]);
    if (pid > 0 && !isRunning(pid)) rmSync(path, { force: true });
  }
}
