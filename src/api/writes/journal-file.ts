import {
  closeSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { userInfo } from 'node:os';
import { dirname } from 'node:path';
import { SettingsError } from '../../shared/errors.ts';
import { isObject } from '../../shared/json.ts';
import { checkPrivateFile, endsWithLine, openPrivateFile } from '../../shared/private-file.ts';
import { maxSegmentBytes, olderSegments, rotate } from '../../shared/segments.ts';

/** Where a journal keeps its lines. */
export interface JournalLines {
  /** Adds a line, and returns when it is on disk. Throws if it is not. */
  append(line: string): void;
  /** All lines, oldest first. */
  read(): string[];
  end(): void;
}

const setting = 'ACADEMY_JOURNAL';

/** The oldest lines in memory go first. Characters, so that long texts count more. */
const maxInMemory = 8_000_000;

export function journalInMemory(): JournalLines {
  const lines: string[] = [];
  let length = 0;
  return {
    append: (line) => {
      lines.push(line);
      length += line.length;
      while (length > maxInMemory) length -= lines.shift()?.length ?? length;
    },
    read: () => lines,
    end: () => {},
  };
}

/** Who owns the file could change what an undo writes. Windows has no such owners. */
function refuseForeign(file: string): void {
  const { uid } = userInfo();
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (stats === undefined || uid < 0 || stats.uid === uid) return;
  throw new SettingsError(`${setting} cannot be used: it belongs to another user (${stats.uid})`);
}

/** A new file is lost in a power cut if its folder is not on disk. Windows cannot open a folder. */
function syncFolder(file: string): void {
  try {
    const folder = openSync(dirname(file), 'r');
    fsyncSync(folder);
    closeSync(folder);
  } catch {}
}

function openJournal(file: string): number {
  refuseForeign(file);
  const descriptor = openPrivateFile(file, setting);
  syncFolder(file);
  return descriptor;
}

function linesIn(file: string): string[] {
  refuseForeign(file);
  checkPrivateFile(file, setting);
  // Another process may just have renamed or deleted it.
  if (statSync(file, { throwIfNoEntry: false }) === undefined) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
}

/**
 * A file that any number of processes may share, and the older ones beside it. Throws `SettingsError` for one that is unsafe
 * or not writable.
 */
export function journalInFile(file: string, maxBytes: number = maxSegmentBytes): JournalLines {
  let descriptor = openJournal(file);

  function reopen(): void {
    const opened = openJournal(file);
    closeSync(descriptor);
    descriptor = opened;
  }

  /** Another process may have begun a new file. */
  function prepare(length: number): void {
    if (statSync(file, { throwIfNoEntry: false })?.ino !== fstatSync(descriptor).ino) reopen();
    const { size } = fstatSync(descriptor);
    if (size === 0 || size + length <= maxBytes) return;
    rotate(file);
    reopen();
  }

  return {
    append: (line) => {
      prepare(Buffer.byteLength(line));
      const bytes = Buffer.from(`${endsWithLine(descriptor) ? '' : '\n'}${line}\n`);
      // One write in append mode: the system adds it as a whole at the end, even if other processes write.
      if (writeSync(descriptor, bytes) !== bytes.length)
        throw new Error('the line was cut short: the disk may be full');
      fsyncSync(descriptor);
    },
    read: () => [...olderSegments(file), file].flatMap(linesIn),
    end: () => closeSync(descriptor),
  };
}

/** Time for another process to finish the line that it is writing. */
const settleMs = 200;

/** Deletes all lines from before a time, in milliseconds since 1970. Returns how many. A line that cannot be read goes, too. */
export async function purgeJournal(file: string, before: number): Promise<number> {
  refuseForeign(file);
  checkPrivateFile(file, setting);
  // Servers that write go on in a new file.
  rotate(file, Number.POSITIVE_INFINITY);
  await new Promise((resolve) => setTimeout(resolve, settleMs));
  let purged = 0;
  for (const segment of olderSegments(file)) {
    const lines = linesIn(segment);
    const left = lines.filter((line) => timeOf(line) >= before);
    purged += lines.length - left.length;
    if (left.length === lines.length) continue;
    if (left.length === 0) {
      rmSync(segment);
      continue;
    }
    const fresh = `${segment}.purged`;
    writeFileSync(fresh, `${left.join('\n')}\n`, { mode: 0o600, flush: true });
    renameSync(fresh, segment);
  }
  syncFolder(file);
  return purged;
}

function timeOf(line: string): number {
  try {
    const read: unknown = JSON.parse(line);
    return isObject(read) && typeof read.at === 'number' ? read.at : 0;
  } catch {
    return 0;
  }
}
