import { rmSync } from 'node:fs';
import { createFillLock, type FillLock, isRunning } from './fill-lock.ts';
import {
  lockOf,
  newVersionOf,
  refuseFolder,
  removeUnfinished,
  replaceFile,
  setAside,
  versionOf,
} from './mirror-file.ts';

/** The file of a mirror, which several processes share: one fills it, all read it. */
export interface MirrorFile {
  readonly path: string;
  readonly lock: FillLock;
  /** Identifies the version on disk; undefined if there is none. Throws `SettingsError` for an unsafe file. */
  version(): string | undefined;
  /** Where the next version is written. */
  newVersion(): string;
  /** Puts it in place, and returns what identifies it. */
  replace(): string | undefined;
  setAside(now: Date): void;
}

/** Throws `SettingsError` for a file that is unsafe, or whose folder is missing or cannot be written. */
export function openMirrorFile(path: string, pid: number): MirrorFile {
  versionOf(path);
  refuseFolder(path);
  const next = newVersionOf(path, pid);
  removeUnfinished(path, isRunning);
  return {
    path,
    lock: createFillLock(lockOf(path), pid),
    version: () => versionOf(path),
    newVersion: () => {
      rmSync(next, { force: true });
      return next;
    },
    replace: () => {
      replaceFile(path, next);
      return versionOf(path);
    },
    setAside: (now) => void setAside(path, now),
  };
}
