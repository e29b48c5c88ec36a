import { randomUUID } from 'node:crypto';
import {
  accessSync,
  constants,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname, platform } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { kill } from 'node:process';
import { SettingsError } from '../../shared/errors.ts';
import { isObject } from '../../shared/json.ts';

// The file of ACADEMY_MIRROR and the files beside it: `.lock` of the process that fills it, `.new-<pid>` while it is
// saved, and `.damaged-<time>` that was set aside.

/** Others must not read it: it holds names and emails. */
const othersMay = 0o077;
/** A lock that was not kept alive for this long is left over, even if another process has its number now. Milliseconds. */
const staleMs = 60_000;

const lockOf = (file: string) => `${file}.lock`;

/** Each of several accounts has a file of its own. Names of accounts have no dot. */
export const accountFileOf = (file: string, account: string): string => `${file}.${account}`;

function refuse(problem: string): never {
  throw new SettingsError(`ACADEMY_MIRROR cannot be used: ${problem}`);
}

/** What identifies one version of the file; undefined if there is none. Throws `SettingsError` for an unsafe file. */
export function versionOf(file: string): string | undefined {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  if (stats.isSymbolicLink()) refuse('it is a symbolic link; name the file itself');
  if (!stats.isFile()) refuse('it must be a regular file, not a directory, device, pipe or socket');
  // Windows has no such permissions: every file seems readable for all.
  if (platform() !== 'win32' && (stats.mode & othersMay) !== 0) refuse('other users can read it; run chmod 600 on it');
  return `${stats.ino} ${stats.size} ${stats.mtimeMs}`;
}

/** Throws `SettingsError` for a file that is unsafe, or whose folder is missing or cannot be written: others are beside it. */
export function checkMirrorFile(file: string): void {
  versionOf(file);
  const folder = dirname(file);
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    refuse('its folder does not exist; create the folder');
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    refuse('this user cannot write into its folder');
  }
}

/** Whether a process of this machine runs. A process of another user counts as one. */
function isRunning(pid: number): boolean {
  try {
    kill(pid, 0);
    return true;
  } catch (error) {
    return isObject(error) && error.code === 'EPERM';
  }
}

/** What the lock of a file says. One that another process is just writing says nothing. */
function readLock(file: string): { readonly pid?: unknown; readonly host?: unknown; readonly id?: unknown } {
  try {
    return Object(JSON.parse(readFileSync(lockOf(file), 'utf8')));
  } catch {
    return {};
  }
}

/** The process that fills the file, 0 if its number is not known; undefined if none does. On another machine, only the time tells. */
export function fillerOf(file: string): number | undefined {
  const lock = statSync(lockOf(file), { throwIfNoEntry: false });
  if (lock === undefined || Date.now() - lock.mtimeMs > staleMs) return undefined;
  const { pid = 0, host } = readLock(file);
  return host === hostname() && !isRunning(Number(pid)) ? undefined : Number(pid);
}

/**
 * The file of a mirror, which several processes share: one fills it, all read it. Throws `SettingsError` for a file that is unsafe,
 * or whose folder is missing or cannot be written.
 */
export function openMirrorFile(path: string, pid: number) {
  const id = randomUUID();
  const lock = lockOf(path);
  const next = `${path}.new-${pid}`;
  const isMine = () => readLock(path).id === id;
  checkMirrorFile(path);
  // Versions that ended processes left unfinished.
  for (const other of readdirSync(dirname(path)).filter((name) => name.startsWith(`${basename(path)}.new-`))) {
    const writer = Number(/\d+$/.exec(other)?.[0]);
    if (writer > 0 && !isRunning(writer)) rmSync(join(dirname(path), other), { force: true });
  }
  return {
    path,
    /** Whether this process fills the file. Takes its lock if nobody has it, and keeps it alive. */
    hold: (): boolean => {
      if (isMine()) {
        utimesSync(lock, new Date(), new Date());
        return true;
      }
      if (fillerOf(path) !== undefined) return false;
      // If another process does the same at this moment, one of them finds that the lock is not its own before it saves.
      rmSync(lock, { force: true });
      try {
        writeFileSync(lock, JSON.stringify({ pid, host: hostname(), id }), { flag: 'wx', mode: 0o600 });
      } catch (error) {
        if (!isObject(error) || error.code !== 'EEXIST') throw error;
      }
      return isMine();
    },
    release: () => {
      if (isMine()) rmSync(lock, { force: true });
    },
    /** Identifies the version on disk; undefined if there is none. Throws `SettingsError` for an unsafe file. */
    version: () => versionOf(path),
    /** Where the next version is written. */
    newVersion: (): string => {
      rmSync(next, { force: true });
      return next;
    },
    /** Puts it in the place of the old one, at once: a reader sees either. Returns what identifies it. */
    replace: () => {
      versionOf(path);
      renameSync(next, path);
      return versionOf(path);
    },
    /** Moves a file that cannot be trusted out of the way, for a person to look at. */
    setAside: (now: Date) => renameSync(path, `${path}.damaged-${now.toISOString().replace(/[:.]/g, '-')}`),
  };
}

export type MirrorFile = ReturnType<typeof openMirrorFile>;
