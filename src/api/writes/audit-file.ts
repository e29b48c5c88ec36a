import { closeSync, fsyncSync, writeSync } from 'node:fs';
import { endsWithLine, openPrivateFile } from '../../shared/private-file.ts';

/** A file that only grows, by whole lines. Any number of processes may share it. */
export interface AppendOnlyFile {
  /** Adds a line in one write and waits until it is on disk. Throws if the line is incomplete. */
  append(line: string): void;
  close(): void;
}

/**
 * Opens or creates the file of `ACADEMY_AUDIT_LOG`. Throws `SettingsError` for a file that is unsafe or not writable.
 */
export function openAppendOnlyFile(file: string): AppendOnlyFile {
  const descriptor = openPrivateFile(file, 'ACADEMY_AUDIT_LOG');
  return {
    append: (line) => {
      const bytes = Buffer.from(`${endsWithLine(descriptor) ? '' : '\n'}${line}\n`);
      // One write in append mode: the system adds it as a whole at the end, even if other processes write.
      if (writeSync(descriptor, bytes) !== bytes.length)
        throw new Error('the line was cut short: the disk may be full');
      fsyncSync(descriptor);
    },
    close: () => closeSync(descriptor),
  };
}
