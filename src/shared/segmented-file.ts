import {
  close,
  closeSync,
  fdatasync,
  fstatSync,
  fsyncSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { endsWithLine, openPrivateFile } from './private-file.ts';
import { createTurns } from './turns.ts';

const sync = promisify(fdatasync);

const maxSegmentBytes = 4 * 2 ** 20;
const keptSegments = 3;

/** Two processes that rotate at the same time get two names, so that none overwrites the other's file. */
const suffix = /^\.\d{15}-\d+$/;

export function olderSegments(file: string): string[] {
  const folder = dirname(file);
  const name = basename(file);
  const older = readdirSync(folder).filter((other) => other.startsWith(name) && suffix.test(other.slice(name.length)));
  return older.sort().map((other) => join(folder, other));
}

/** Renames a full file, and deletes the oldest of its kind. */
export function rotate(file: string, kept = keptSegments): void {
  const stamp = String(Date.now()).padStart(15, '0');
  try {
    renameSync(file, `${file}.${stamp}-${process.pid}`);
  } catch (error) {
    // Another process has renamed it.
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
  for (const old of olderSegments(file).slice(0, -kept)) rmSync(old, { force: true });
}

/** A new file is lost in a power cut if its folder is not on disk. Windows cannot open a folder. */
function syncFolder(file: string): void {
  try {
    const folder = openSync(dirname(file), 'r');
    fsyncSync(folder);
    closeSync(folder);
  } catch {}
}

/** A file of JSON lines to which any number of processes append. At a size it is renamed, and a new one begins. */
export type SegmentedFile = ReturnType<typeof openSegmentedFile>;

/** Opens or creates such a file. Throws `SettingsError`, which names the setting, for one that is unsafe or not writable. */
export function openSegmentedFile(file: string, setting: string, maxBytes: number = maxSegmentBytes) {
  const inTurn = createTurns();
  let descriptor = openPrivateFile(file, setting);
  syncFolder(file);

  function reopen(): void {
    // The old file stays open if the new one cannot be opened.
    const opened = openPrivateFile(file, setting);
    closeSync(descriptor);
    descriptor = opened;
    syncFolder(file);
  }

  function prepare(length: number): void {
    // Another process may have rotated the file.
    if (statSync(file, { throwIfNoEntry: false })?.ino !== fstatSync(descriptor).ino) reopen();
    const { size } = fstatSync(descriptor);
    if (size === 0 || size + length <= maxBytes) return;
    rotate(file);
    reopen();
  }

  async function write(line: string): Promise<void> {
    prepare(Buffer.byteLength(line));
    const bytes = Buffer.from(`${endsWithLine(descriptor) ? '' : '\n'}${line}`);
    // One write in append mode is added as a whole, even if others write. Another thread would take longer than the write.
    if (writeSync(descriptor, bytes, 0, bytes.length, null) !== bytes.length)
      throw new Error('the line was cut short: the disk may be full');
    await sync(descriptor);
  }

  return {
    /** Resolves once the line, as it is now, is on disk. */
    append: (line: object): Promise<void> => {
      const text = `${JSON.stringify(line)}\n`;
      return inTurn(() => write(text));
    },
    close: (): Promise<void> => inTurn(() => promisify(close)(descriptor)),
  };
}
