import { closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { olderSegments } from '../shared/segmented-file.ts';
import { type EventLine, readLine } from './event.ts';

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
