import {
  accessSync,
  closeSync,
  constants,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
} from 'node:fs';
import { platform } from 'node:os';
import { basename, dirname } from 'node:path';
import { SettingsError } from '../../shared/errors.ts';
import { createFillLock, type FillLock, isRunning } from './fill-lock.ts';
import { isMirrorFile } from './image.ts';

// The file of ACADEMY_MIRROR and the files beside it: `.lock` of the process that fills it, `.new-<pid>` while it is
// saved, and `.damaged-<time>` that was set aside.

/** Others must not read it: it holds names and emails. */
const othersMay = 0o077;

export const lockOf = (file: string): string => `${file}.lock`;

/** Each of several accounts has a file of its own. Names of accounts have no dot. */
export const accountFileOf = (file: string, account: string): string => `${file}.${account}`;

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

const besideIt = /^\.(lock|new-\d+|damaged-[\dTZ-]+)$/;

/** What follows the name of a file in the names of others in its folder. */
function endingsOf(file: string): string[] {
  const own = basename(file);
  return readdirSync(dirname(file))
    .filter((name) => name.startsWith(own))
    .map((name) => name.slice(own.length));
}

/** The file, if there is one, and the files beside it. Throws `SettingsError` for a file that is no mirror. */
export function filesOf(file: string): string[] {
  if (versionOf(file) !== undefined && !isMirrorFile(file)) {
    throw new SettingsError(`${file} is not a mirror file`, 'Name another file, or delete it yourself.');
  }
  return endingsOf(file)
    .filter((ending) => ending === '' || besideIt.test(ending))
    .map((ending) => file + ending);
}

const accountEnding = /^(?<account>\.[a-z0-9][a-z0-9_-]{0,39})(?<beside>\..+)?$/;

/** The files of accounts, as `accountFileOf` names them. Other files with such a name are not mirror files. */
export function accountFilesOf(file: string): string[] {
  const found = endingsOf(file).flatMap((ending) => {
    const { account, beside } = accountEnding.exec(ending)?.groups ?? {};
    if (account === undefined || besideIt.test(ending)) return [];
    const path = file + ending;
    const isOwn = beside === undefined ? lstatSync(path).isFile() && isMirrorFile(path) : besideIt.test(beside);
    return isOwn ? [file + account] : [];
  });
  return [...new Set(found)].sort();
}

/** Removes versions that ended processes left unfinished. */
function removeUnfinished(file: string): void {
  for (const ending of endingsOf(file)) {
    const pid = Number(/^\.new-(\d+)$/.exec(ending)?.[1]);
    if (pid > 0 && !isRunning(pid)) rmSync(file + ending, { force: true });
  }
}

/** The file of a mirror, which several processes share: one fills it, all read it. */
export interface MirrorFile {
  readonly path: string;
  readonly lock: FillLock;
  /** Identifies the version on disk; undefined if there is none. Throws `SettingsError` for an unsafe file. */
  version(): string | undefined;
  /** Where the next version is written. */
  newVersion(): string;
  /** Puts it in the place of the old one, at once: a reader sees either. Returns what identifies it. */
  replace(): string | undefined;
  /** Moves a file that cannot be trusted out of the way, for a person to look at. */
  setAside(now: Date): void;
}

/** Throws `SettingsError` for a file that is unsafe, or whose folder is missing or cannot be written. */
export function openMirrorFile(path: string, pid: number): MirrorFile {
  const version = () => versionOf(path);
  version();
  refuseFolder(path);
  const next = `${path}.new-${pid}`;
  removeUnfinished(path);
  return {
    path,
    lock: createFillLock(lockOf(path), pid),
    version,
    newVersion: () => {
      rmSync(next, { force: true });
      return next;
    },
    replace: () => {
      version();
      renameSync(next, path);
      syncFolder(path);
      return version();
    },
    setAside: (now) => renameSync(path, `${path}.damaged-${now.toISOString().replace(/[:.]/g, '-')}`),
  };
}
