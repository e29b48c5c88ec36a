import { readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
// The only use of the process outside main.ts: whether the holder of a lock is alive is known only here.
import { kill, pid } from 'node:process';
import { SettingsError } from '../../shared/errors.ts';

/** Locks that this process holds: two sandboxes in one process have the same process id. */
const heldLocks = new Set<string>();

/**
 * Locks a journal file for this process, by a file beside it with the process id. Takes over the lock of a process that
 * no longer runs. Returns the function that unlocks; throws a SettingsError if another process holds the lock.
 */
export async function lockJournal(file: string): Promise<() => Promise<void>> {
  const lock = `${await realpath(file)}.lock`;
  if (heldLocks.has(lock)) throw lockedError(lock, String(pid));
  heldLocks.add(lock);
  try {
    await claim(lock);
  } catch (error) {
    heldLocks.delete(lock);
    throw error;
  }
  return async () => {
    await rm(lock, { force: true });
    heldLocks.delete(lock);
  };
}

async function claim(lock: string): Promise<void> {
  const before = await holderOf(lock);
  if (before !== undefined && !isStale(before)) throw lockedError(lock, before);
  if (before !== undefined) await removeStale(lock, before);
  try {
    await writeFile(lock, `${pid}\n`, { flag: 'wx' });
  } catch (error) {
    throw errorCode(error) === 'EEXIST' ? lockedError(lock, await holderOf(lock)) : error;
  }
}

/** The content of the lock file. Undefined if there is none. */
async function holderOf(lock: string): Promise<string | undefined> {
  try {
    return (await readFile(lock, 'utf8')).trim();
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * A lock without a process id may be in the middle of its creation. One with our own id is left over from an earlier
 * process: in a container, both may have the same id.
 */
function isStale(holder: string): boolean {
  if (!/^[1-9]\d*$/.test(holder)) return false;
  if (Number(holder) === pid) return true;
  try {
    kill(Number(holder), 0);
    return false;
  } catch (error) {
    return errorCode(error) === 'ESRCH';
  }
}

/** If two processes find the same stale lock, one renames it. A lock that has changed since then is put back. */
async function removeStale(lock: string, holder: string): Promise<void> {
  const aside = `${lock}.${pid}`;
  await rename(lock, aside).catch((error: unknown) => {
    if (errorCode(error) !== 'ENOENT') throw error;
  });
  const moved = await holderOf(aside);
  if (moved !== undefined && moved !== holder) {
    await rename(aside, lock);
    throw lockedError(lock, moved);
  }
  await rm(aside, { force: true });
}

function lockedError(lock: string, holder: string | undefined): SettingsError {
  const who = holder ? `process ${holder}` : 'another process';
  return new SettingsError(
    `--data: ${who} has the journal open; stop it or choose another file (if that process does not exist, delete ${lock})`,
  );
}

/** The code of a system error, such as ENOENT. */
export function errorCode(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
