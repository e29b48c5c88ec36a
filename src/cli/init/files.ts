import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  closeSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { SettingsError } from '../../shared/errors.ts';

/** Only the owner may read a new file: settings of clients and our own files hold secrets. */
const ownerOnly = 0o600;
const ownerOnlyFolder = 0o700;

/** The file that a path leads to through symbolic links, even if that file does not exist yet. */
export function targetOf(path: string): string {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined || !stats.isSymbolicLink()) return path;
  if (statSync(path, { throwIfNoEntry: false }) !== undefined) return realpathSync(path);
  return targetOf(resolve(dirname(path), readlinkSync(path)));
}

/** The text of a file, or undefined if there is none. Throws `SettingsError` if it is not UTF-8 text. */
export function readText(path: string): string | undefined {
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return undefined;
  try {
    // `ignoreBOM` keeps a byte order mark, so that the same bytes are written again.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readFileSync(path));
  } catch (error) {
    if (error instanceof TypeError) throw new SettingsError(`${path} is not a text file in UTF-8; it was not changed`);
    throw error;
  }
}

function writeNew(path: string, text: string, mode: number): void {
  const descriptor = openSync(path, 'wx', mode);
  try {
    writeFileSync(descriptor, text);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Gives a file the mode and the owner of the one that it replaces. Only an administrator can give a file away. */
function takeRights(path: string, { mode, uid, gid }: Pick<Stats, 'mode' | 'uid' | 'gid'>): void {
  chmodSync(path, mode & 0o777);
  try {
    chownSync(path, uid, gid);
  } catch {}
}

/** Writes a text in one step, so that a reader sees the old file or the new one. Keeps the mode; creates folders. */
export function replaceFile(path: string, text: string): void {
  const target = targetOf(path);
  mkdirSync(dirname(target), { recursive: true, mode: ownerOnlyFolder });
  const old = statSync(target, { throwIfNoEntry: false });
  const temporary = `${target}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    writeNew(temporary, text, ownerOnly);
    if (old !== undefined) takeRights(temporary, old);
    renameSync(temporary, target);
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** Makes a folder that only its owner can open. */
export function makeOwnFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: ownerOnlyFolder });
  chmodSync(folder, ownerOnlyFolder);
}

/** Throws `SettingsError` for a link, and for anything that is not of its kind: it may lead to a place that others read. */
function refuseLink(path: string, isRight: (stats: Stats) => boolean): Stats | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined || isRight(stats)) return stats;
  throw new SettingsError(`the key was not written: ${path} is a link or something else; remove it and start again`);
}

/** Writes a secret into a new file that only its owner can read, in a folder that only its owner can open. Follows no link. */
export function writeSecret(path: string, secret: string): void {
  refuseLink(dirname(path), (stats) => stats.isDirectory());
  makeOwnFolder(dirname(path));
  const old = refuseLink(path, (stats) => stats.isFile());
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    writeNew(temporary, `${secret}\n`, ownerOnly);
    if (old !== undefined) takeRights(temporary, { ...old, mode: ownerOnly });
    renameSync(temporary, path);
  } finally {
    rmSync(temporary, { force: true });
  }
}
