import { readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
// Not settled in main.ts as all else of the process is: whether a process lives is asked at the file, not at the start.
import { kill, pid } from 'node:process';
import { SettingsError } from '../../shared/errors.ts';

/** The locks of this process: to all the others it is one holder, whatever runs in it. */
const held = new Set<string>();

/**
 * Makes this process the only one that writes a journal file, by a file beside it that holds the process id. The lock of
 * a process that is gone is taken over. Answers how to let go; throws a SettingsError when somebody else has it.
 */
export async function lockJournal(file: string): Promise<() => Promise<void>> {
  const lock = `${await realpath(file)}.lock`;
  if (held.has(lock)) throw taken(lock, String(pid));
  held.add(lock);
  try {
    await claim(lock);
  } catch (error) {
    held.delete(lock);
    throw error;
  }
  return async () => {
    await rm(lock, { force: true });
    held.delete(lock);
  };
}

async function claim(lock: string): Promise<void> {
  const before = await holderOf(lock);
  if (before !== undefined && !isGone(before)) throw taken(lock, before);
  if (before !== undefined) await putAside(lock, before);
  try {
    await writeFile(lock, `${pid}\n`, { flag: 'wx' });
  } catch (error) {
    throw errorCode(error) === 'EEXIST' ? taken(lock, await holderOf(lock)) : error;
  }
}

/** What the lock says, undefined when there is none. */
async function holderOf(lock: string): Promise<string | undefined> {
  try {
    return (await readFile(lock, 'utf8')).trim();
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * A lock without a process id may be one that is just being written. One with our own id is left over from a process
 * before this one: in a container, both may have the same.
 */
function isGone(holder: string): boolean {
  if (!/^[1-9]\d*$/.test(holder)) return false;
  if (Number(holder) === pid) return true;
  try {
    kill(Number(holder), 0);
    return false;
  } catch (error) {
    return errorCode(error) === 'ESRCH';
  }
}

/** Of two that find the same old lock, one renames it; if it is a new one by then, it goes back. */
async function putAside(lock: string, holder: string): Promise<void> {
  const aside = `${lock}.${pid}`;
  await rename(lock, aside).catch((error: unknown) => {
    if (errorCode(error) !== 'ENOENT') throw error;
  });
  const moved = await holderOf(aside);
  if (moved !== undefined && moved !== holder) {
    await rename(aside, lock);
    throw taken(lock, moved);
  }
  await rm(aside, { force: true });
}

function taken(lock: string, holder: string | undefined): SettingsError {
  const who = holder ? `process ${holder}` : 'another process';
  return new SettingsError(
    `--data: ${who} has the journal open; stop it, or take another file (if there is no such process, delete ${lock})`,
  );
}

/** The code of an error of the system, such as ENOENT. */
export function errorCode(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
