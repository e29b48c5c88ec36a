import { close, closeSync, fdatasync, fstatSync, fsyncSync, openSync, statSync, write } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { endsWithLine, openPrivateFile } from '../shared/private-file.ts';
import { maxSegmentBytes, rotate } from '../shared/segments.ts';
import type { EventLine } from './event.ts';

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
