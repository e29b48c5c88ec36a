import { constants, fstatSync, lstatSync, openSync, readSync, type Stats } from 'node:fs';
import { platform } from 'node:os';
import { SettingsError } from './errors.ts';

/** Only the owner may read the file: it shows what people did. */
const ownerOnly = 0o600;
/** Other users with write access could remove or forge lines. */
const othersMayWrite = 0o022;

/** Without O_NONBLOCK, opening a pipe waits for a reader. Windows has neither of the last two flags. */
const flags =
  constants.O_RDWR | constants.O_CREAT | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Why a file is unsafe: others have one of the permissions `forbidden`, by which they `may` do something with it. */
function permissionProblem(stats: Stats, forbidden = othersMayWrite, may = 'may change'): string | undefined {
  if (stats.isSymbolicLink()) return 'it is a symbolic link; name the file itself';
  if (!stats.isFile()) return 'it must be a regular file, not a directory, device, pipe or socket';
  // Windows has no such permissions: every file seems open to all.
  if (platform() === 'win32' || (stats.mode & forbidden) === 0) return undefined;
  const mode = (stats.mode & 0o777).toString(8).padStart(4, '0');
  return `other users ${may} it (mode ${mode}); run chmod 600 on it`;
}

/** Undefined if there is no such file. Throws `refusal` for an unsafe one, and for a path that leads nowhere. */
export function safeStats(file: string, refusal: (problem: string) => Error, forbidden?: number, may?: string) {
  try {
    const stats = lstatSync(file, { throwIfNoEntry: false });
    const problem = stats && permissionProblem(stats, forbidden, may);
    if (problem === undefined) return stats;
    throw new Error(problem);
  } catch (error) {
    throw refusal(error instanceof Error ? error.message : String(error));
  }
}

/** Throws `SettingsError` for a file that exists and is unsafe to read. */
export function checkPrivateFile(file: string, setting: string, purpose = 'read'): void {
  safeStats(file, (problem) => new SettingsError(`${setting} cannot be ${purpose}: ${problem}`));
}

/** Opens or creates a file for appending. Throws `SettingsError`, which names the setting, if it is unsafe or not writable. */
export function openPrivateFile(file: string, setting: string): number {
  const refusal = (problem: string) => new SettingsError(`${setting} cannot be written: ${problem}`);
  try {
    // Opening a device or a pipe can have side effects, so this checks first.
    checkPrivateFile(file, setting, 'written');
    const descriptor = openSync(file, flags, ownerOnly);
    // The file may have been replaced after the check.
    const problem = permissionProblem(fstatSync(descriptor));
    if (problem === undefined) return descriptor;
    throw refusal(problem);
  } catch (cause) {
    throw cause instanceof SettingsError ? cause : refusal(cause instanceof Error ? cause.message : String(cause));
  }
}

/** False if a crash or a full disk cut the last line. The next line must not continue it. */
export function endsWithLine(descriptor: number): boolean {
  const { size } = fstatSync(descriptor);
  const last = Buffer.alloc(1);
  return size === 0 || readSync(descriptor, last, 0, 1, size - 1) === 0 || last.toString() === '\n';
}
