import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readSync,
  type Stats,
  writeSync,
} from 'node:fs';
import { platform } from 'node:os';
import { SettingsError } from '../../shared/errors.ts';

/** A file that only grows, by whole lines. Any number of processes may share it. */
export interface AppendOnlyFile {
  /** Adds a line in one write and waits until it is on disk. Throws if the line is incomplete. */
  append(line: string): void;
  close(): void;
}

/** Only the owner may read the file: it shows who changed what. */
const ownerOnly = 0o600;
/** Other users with write access could remove or forge lines. */
const othersMayWrite = 0o022;

/** Without O_NONBLOCK, opening a pipe waits for a reader. Windows has neither of the last two flags. */
const flags =
  constants.O_RDWR | constants.O_CREAT | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

function refuse(problem: string): never {
  throw new SettingsError(`ACADEMY_AUDIT_LOG cannot be written: ${problem}`);
}

function modeText({ mode }: Stats): string {
  return (mode & 0o777).toString(8).padStart(4, '0');
}

function refuseUnsafe(stats: Stats): void {
  if (stats.isSymbolicLink()) refuse('it is a symbolic link; name the file itself');
  if (!stats.isFile()) refuse('it must be a regular file, not a directory, device, pipe or socket');
  // Windows has no such permissions: every file seems writable for all.
  if (platform() !== 'win32' && (stats.mode & othersMayWrite) !== 0) {
    refuse(`other users may change it (mode ${modeText(stats)}); run chmod 600 on it`);
  }
}

function open(file: string): number {
  try {
    const before = lstatSync(file, { throwIfNoEntry: false });
    // Opening a device or a pipe can have side effects, so this checks first.
    if (before !== undefined) refuseUnsafe(before);
    const descriptor = openSync(file, flags, ownerOnly);
    // The file may have been replaced after the check.
    refuseUnsafe(fstatSync(descriptor));
    return descriptor;
  } catch (cause) {
    if (cause instanceof SettingsError) throw cause;
    return refuse(cause instanceof Error ? cause.message : String(cause));
  }
}

/** False if a crash or a full disk cut the last line. The next line must not continue it. */
function endsWithLine(descriptor: number): boolean {
  const { size } = fstatSync(descriptor);
  const last = Buffer.alloc(1);
  return size === 0 || readSync(descriptor, last, 0, 1, size - 1) === 0 || last.toString() === '\n';
}

/**
 * Opens or creates the file of `ACADEMY_AUDIT_LOG`. Throws `SettingsError` for a file that is unsafe or not writable.
 */
export function openAppendOnlyFile(file: string): AppendOnlyFile {
  const descriptor = open(file);
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
