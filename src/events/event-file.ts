import {
  close,
  closeSync,
  constants,
  fdatasync,
  fstatSync,
  fsyncSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  write,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { endsWithLine, openPrivateFile } from '../shared/private-file.ts';
import { type EventLine, readLine } from './event.ts';

/** Bytes of the events file at which a new one begins. */
export const maxSegmentBytes = 4 * 2 ** 20;
/** Older files that are kept. */
const keptSegments = 3;

/** Two processes that rotate at the same time get two names, so that none overwrites the other's file. */
const suffix = /^\.\d{15}-\d+$/;

/** Paths of the older files, the oldest first. */
export function olderSegments(file: string): string[] {
  const folder = dirname(file);
  const name = basename(file);
  const older = readdirSync(folder).filter((other) => other.startsWith(name) && suffix.test(other.slice(name.length)));
  return older.sort().map((other) => join(folder, other));
}

/** Renames a full events file, and deletes the oldest of its kind. */
export function rotate(file: string): void {
  const stamp = String(Date.now()).padStart(15, '0');
  try {
    renameSync(file, `${file}.${stamp}-${process.pid}`);
  } catch (error) {
    // Another process has renamed it.
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
  for (const old of olderSegments(file).slice(0, -keptSegments)) rmSync(old, { force: true });
}

const writeBytes = promisify(write);
const sync = promisify(fdatasync);

/** Appends lines to the events file. Any number of processes may append to one file. */
export interface EventWriter {
  /** Resolves once the line is on disk. Lines that come during a write share the next one. */
  append(line: EventLine): Promise<void>;
  close(): Promise<void>;
}

/** A new file is lost in a power cut if its folder is not on disk. Windows cannot open a folder. */
function syncFolder(file: string): void {
  try {
    const folder = openSync(dirname(file), 'r');
    fsyncSync(folder);
    closeSync(folder);
  } catch {}
}

/** Opens the events file. Throws `SettingsError`, which names the setting, for one that is unsafe or not writable. */
export function openEventWriter(file: string, setting: string, maxBytes: number = maxSegmentBytes): EventWriter {
  let descriptor = openPrivateFile(file, setting);
  let lines: string[] = [];
  let next: Promise<void> | undefined;
  let last: Promise<void> = Promise.resolve();
  syncFolder(file);

  /** Another process may have rotated the file. */
  function isCurrent(): boolean {
    return statSync(file, { throwIfNoEntry: false })?.ino === fstatSync(descriptor).ino;
  }

  function reopen(): void {
    // The old file stays open if the new one cannot be opened.
    const opened = openPrivateFile(file, setting);
    closeSync(descriptor);
    descriptor = opened;
    syncFolder(file);
  }

  function prepare(length: number): void {
    if (!isCurrent()) reopen();
    const { size } = fstatSync(descriptor);
    if (size === 0 || size + length <= maxBytes) return;
    rotate(file);
    reopen();
  }

  async function flush(): Promise<void> {
    const text = lines.join('');
    lines = [];
    last = next ?? last;
    next = undefined;
    prepare(Buffer.byteLength(text));
    const bytes = Buffer.from(`${endsWithLine(descriptor) ? '' : '\n'}${text}`);
    // One write in append mode: the system adds it as a whole at the end, even if other processes write.
    const { bytesWritten } = await writeBytes(descriptor, bytes, 0, bytes.length, null);
    if (bytesWritten !== bytes.length) throw new Error('the events were cut short: the disk may be full');
    await sync(descriptor);
  }

  return {
    append: (line) => {
      lines.push(`${JSON.stringify(line)}\n`);
      next ??= last.catch(() => {}).then(flush);
      return next;
    },
    close: async () => {
      await (next ?? last).catch(() => {});
      await promisify(close)(descriptor);
    },
  };
}

/** Reads the lines that any process adds to the events file. */
export interface EventReader {
  /** Lines since the last call, the oldest first. A line that is not complete yet comes with a later call. */
  read(): EventLine[];
  close(): void;
}

interface OpenFile {
  readonly descriptor: number;
  readonly inode: number;
  position: number;
  /** Bytes of a line that is not complete. */
  rest: Buffer;
}

const chunkBytes = 256 * 1024;
/** Bytes. No event is longer; what is, is not one. */
const maxLine = 256 * 1024;
const lineFeed = 10;

const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Undefined if the file does not exist yet, or is a symbolic link. */
function open(file: string): OpenFile | undefined {
  try {
    const descriptor = openSync(file, flags);
    const stats = fstatSync(descriptor);
    if (stats.isFile()) return { descriptor, inode: stats.ino, position: 0, rest: Buffer.alloc(0) };
    closeSync(descriptor);
    return undefined;
  } catch {
    return undefined;
  }
}

function readChunk(file: OpenFile): EventLine[] | undefined {
  const chunk = Buffer.allocUnsafe(chunkBytes);
  const length = readSync(file.descriptor, chunk, 0, chunkBytes, file.position);
  if (length === 0) return undefined;
  file.position += length;
  const bytes = Buffer.concat([file.rest, chunk.subarray(0, length)]);
  const end = bytes.lastIndexOf(lineFeed) + 1;
  const rest = bytes.subarray(end);
  file.rest = rest.length > maxLine ? Buffer.alloc(0) : Buffer.from(rest);
  const texts = bytes.subarray(0, end).toString('utf8').split('\n');
  return texts.flatMap((text) => (text === '' ? [] : (readLine(text) ?? [])));
}

/** Another program, such as logrotate, may have emptied the file. */
function startOverIfShortened(file: OpenFile): void {
  if (fstatSync(file.descriptor).size >= file.position) return;
  file.position = 0;
  file.rest = Buffer.alloc(0);
}

function readNew(file: OpenFile): EventLine[] {
  startOverIfShortened(file);
  const lines: EventLine[] = [];
  for (let more = readChunk(file); more !== undefined; more = readChunk(file)) lines.push(...more);
  return lines;
}

function readWhole(path: string): EventLine[] {
  const file = open(path);
  if (file === undefined) return [];
  const lines = readNew(file);
  closeSync(file.descriptor);
  return lines;
}

/** The older files are read once, with the first call. */
export function createEventReader(path: string): EventReader {
  let older: string[] | undefined = olderSegments(path);
  let current: OpenFile | undefined;
  // A writer may add one more line to a file that another process has just renamed.
  let previous: OpenFile | undefined;

  function follow(): void {
    const inode = statSync(path, { throwIfNoEntry: false })?.ino;
    if (inode === undefined || inode === current?.inode) return;
    if (previous !== undefined) closeSync(previous.descriptor);
    previous = current;
    current = open(path);
  }

  return {
    read: () => {
      const lines = (older ?? []).flatMap(readWhole);
      older = undefined;
      for (const file of [previous, current]) if (file !== undefined) lines.push(...readNew(file));
      const before = current;
      follow();
      if (current !== undefined && current !== before) lines.push(...readNew(current));
      return lines;
    },
    close: () => {
      for (const file of [previous, current]) if (file !== undefined) closeSync(file.descriptor);
      previous = undefined;
      current = undefined;
    },
  };
}
