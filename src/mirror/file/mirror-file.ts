import {
  accessSync,
  closeSync,
  constants,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
} from 'node:fs';
import { platform } from 'node:os';
import { basename, dirname } from 'node:path';
import { SettingsError } from '../../shared/errors.ts';
import { imageStart } from '../engine/image.ts';

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

/** The files beside it are written into its folder. Throws `SettingsError`. */
export function refuseFolder(file: string): void {
  const folder = dirname(file);
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    refuse('its folder does not exist; create the folder');
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    refuse('this user cannot write into its folder');
  }
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

const besideIt = /^\.(lock|new-\d+|damaged-[\dTZ-]+)$/;

/** What follows the name of a file in the names of others in its folder. */
function endingsOf(file: string): string[] {
  const own = basename(file);
  return readdirSync(dirname(file))
    .filter((name) => name.startsWith(own))
    .map((name) => name.slice(own.length));
}

/** The files that belong to a mirror file, with itself. */
export function filesOf(file: string): string[] {
  return endingsOf(file)
    .filter((ending) => ending === '' || besideIt.test(ending))
    .map((ending) => file + ending);
}

const accountEnding = /^(?<account>\.[a-z0-9][a-z0-9_-]{0,39})(?<beside>\..+)?$/;

function isMirrorFile(path: string): boolean {
  if (!lstatSync(path).isFile()) return false;
  const descriptor = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  try {
    const start = Buffer.alloc(imageStart.length);
    readSync(descriptor, start, 0, start.length, 0);
    return start.toString() === imageStart;
  } finally {
    closeSync(descriptor);
  }
}

/** The files of accounts, as `accountFileOf` names them. Other files with such a name are not mirror files. */
export function accountFilesOf(file: string): string[] {
  const found = endingsOf(file).flatMap((ending) => {
    const { account, beside } = accountEnding.exec(ending)?.groups ?? {};
    if (account === undefined || besideIt.test(ending)) return [];
    const isOwn = beside === undefined ? isMirrorFile(file + ending) : besideIt.test(beside);
    return isOwn ? [file + account] : [];
  });
  return [...new Set(found)].sort();
}

/** Removes versions that ended processes left unfinished. */
export function removeUnfinished(file: string, isRunning: (pid: number) => boolean): void {
  for (const path of filesOf(file)) {
    const pid = Number(/\.new-(\d+)$/.exec(path)?.[1]);
    if (pid > 0 && !isRunning(pid)) rmSync(path, { force: true });
  }
}
