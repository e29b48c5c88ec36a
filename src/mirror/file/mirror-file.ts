import { createHash } from 'node:crypto';
import {
  accessSync,
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { pid } from 'node:process';
import * as z from 'zod';
import { SettingsError } from '../../shared/errors.ts';
import { safeStats } from '../../shared/private-file.ts';
import { type Image, maxBytes, RefusedError } from '../engine/messages.ts';

// The file of ACADEMY_MIRROR: a header of fixed length, one line of JSON, then the database. The header has the digest of the
// database. Beside it are `.new-<pid>` while it is saved, and `.damaged-<time>` that was set aside. Several processes can name
// the same file: each opens it once, keeps a copy of its own, and saves that. The last save counts.

/** Others must not read it: it holds names and emails. */
const othersMay = 0o077;
/** A file that was half written this long ago is left over from a process that was killed. Milliseconds. */
const leftOverMs = 600_000;

/** Each of several accounts has a file of its own. Names of accounts have no dot. */
export const accountFileOf = (file: string, account?: string) => (account === undefined ? file : `${file}.${account}`);

/** The file that the setting names; undefined for none. */
export const mirrorFileOf = (mirror: string, account?: string) =>
  mirror === 'off' || mirror === 'memory' ? undefined : accountFileOf(mirror, account);

const refusal = (problem: string) => new SettingsError(`ACADEMY_MIRROR cannot be used: ${problem}`);

/** What identifies one version of the file; undefined if there is none. Throws `SettingsError` for an unsafe file. */
export function versionOf(file: string): string | undefined {
  const stats = safeStats(file, refusal, othersMay, 'can read');
  return stats && `${stats.ino} ${stats.size} ${stats.mtimeMs}`;
}

/** Throws `SettingsError` for a file that is unsafe, or whose folder is missing or cannot be written: others are beside it. */
export function checkMirrorFile(file: string): void {
  versionOf(file);
  const folder = dirname(file);
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw refusal('its folder does not exist; create the folder');
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    throw refusal('this user cannot write into its folder');
  }
}

/** Deletes what killed processes have left beside the file. */
export function removeLeftOvers(path: string): void {
  const names = readdirSync(dirname(path)).filter((name) => name.startsWith(`${basename(path)}.new-`));
  for (const beside of names.map((name) => join(dirname(path), name))) {
    const written = statSync(beside, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (Date.now() - written > leftOverMs) rmSync(beside, { force: true });
  }
}

/** Moves a file that cannot be trusted out of the way, for a person to look at. */
export function setAside(path: string, now: Date): void {
  renameSync(path, `${path}.damaged-${now.toISOString().replace(/[:.]/g, '-')}`);
}

/** Padded with spaces, with a line break at the end. */
const headerLength = 4_096;
const format = 3;

const digestOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const damaged = (why: string) => new RefusedError('damaged', why);

/** What the file is of. `schema`: the version of the tables; `timezone`: that of its days, weeks and months. */
const aboutImage = z.object({ schema: z.int(), baseUrl: z.string(), timezone: z.string(), savedAt: z.string() });
const headerLine = aboutImage.extend({ format: z.literal(format), sha256: z.string().regex(/^[\da-f]{64}$/) });

export type AboutImage = z.infer<typeof aboutImage>;

/** Undefined if it is none that this program has written. */
function headerIn(bytes: Buffer) {
  const [, line = ''] = /^(\{.*\}) *\n$/.exec(bytes.toString()) ?? [];
  try {
    return headerLine.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}

const readOnly = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0);

function withFile<Result>(path: string, flags: string | number, use: (descriptor: number) => Result): Result {
  const descriptor = openSync(path, flags, 0o600);
  try {
    return use(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Whether a regular file begins with a whole header that this program has written. */
export function isMirrorFile(path: string): boolean {
  return withFile(path, readOnly, (descriptor) => {
    const start = Buffer.alloc(headerLength);
    return readSync(descriptor, start) === headerLength && headerIn(start) !== undefined;
  });
}

/** Reads the database of a file. Throws a `RefusedError` of kind `damaged` if it is not what was saved. */
export function readImage(path: string, image: Image): AboutImage {
  return withFile(path, readOnly, (descriptor) => {
    const start = Buffer.alloc(headerLength);
    readSync(descriptor, start);
    const header = headerIn(start);
    if (header === undefined) throw damaged('its header is not of this program');
    const length = fstatSync(descriptor).size - headerLength;
    if (length > maxBytes) throw damaged('it is too long');
    image.resize(length);
    for (let at = 0; at < length; ) at += readSync(descriptor, image.bytes(at)) || length;
    if (digestOf(image.bytes()) !== header.sha256) throw damaged('its checksum is wrong');
    return header;
  });
}

/** Replaces the file at once: a reader sees either version. Returns the new one; undefined if somebody has deleted the file. */
export function writeImage(path: string, about: AboutImage, bytes: Uint8Array, isFirst: boolean): string | undefined {
  const next = `${path}.new-${pid}`;
  const header = JSON.stringify({ format, ...about, sha256: digestOf(bytes) });
  rmSync(next, { force: true });
  try {
    withFile(next, 'wx', (descriptor) => {
      writeFileSync(descriptor, `${header.padEnd(headerLength - 1)}\n`);
      writeFileSync(descriptor, bytes);
      fsyncSync(descriptor);
    });
    if (versionOf(path) === undefined && !isFirst) return undefined;
    renameSync(next, path);
    return versionOf(path);
  } finally {
    rmSync(next, { force: true });
  }
}
