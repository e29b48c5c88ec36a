import { randomUUID } from 'node:crypto';
import { closeSync, openSync, readFileSync, rmSync, statSync, utimesSync, writeSync } from 'node:fs';
import { hostname } from 'node:os';
import { kill } from 'node:process';
import { isObject } from '../../shared/json.ts';

/** One process fills a file. Its lock names it, and its time of change says that it is still there. */
export interface FillLock {
  /** Whether this process fills the file. Takes the lock if nobody has it, and keeps it alive. */
  hold(): boolean;
  release(): void;
}

/** A lock that was not kept alive for this long is left over, even if another process has its number now. Milliseconds. */
const staleMs = 60_000;
/** A lock without an owner is about to be written, for at most this long. Milliseconds. */
const unwrittenMs = 5_000;

/** Whether a process of this machine runs. A process of another user counts as one. */
export function isRunning(pid: number): boolean {
  try {
    kill(pid, 0);
    return true;
  } catch (error) {
    return isObject(error) && error.code === 'EPERM';
  }
}

function read(path: string): { owner: unknown; ageMs: number } | undefined {
  try {
    const ageMs = Date.now() - statSync(path).mtimeMs;
    const text = readFileSync(path, 'utf8');
    return { owner: text.endsWith('}') ? JSON.parse(text) : undefined, ageMs };
  } catch {
    return undefined;
  }
}

/** The process that has the lock now, or 0 if that is not known; undefined if it is free. On another machine, only the time tells. */
export function lockOwner(path: string): number | undefined {
  const { owner, ageMs = staleMs } = read(path) ?? {};
  if (!isObject(owner) || typeof owner.pid !== 'number') return ageMs < unwrittenMs ? 0 : undefined;
  const isThere = ageMs <= staleMs && (owner.host !== hostname() || isRunning(owner.pid));
  return isThere ? owner.pid : undefined;
}

function create(path: string, text: string): boolean {
  try {
    const descriptor = openSync(path, 'wx', 0o600);
    writeSync(descriptor, text);
    closeSync(descriptor);
    return true;
  } catch (error) {
    if (isObject(error) && error.code === 'EEXIST') return false;
    throw error;
  }
}

export function createFillLock(path: string, pid: number): FillLock {
  const id = randomUUID();
  const isMine = () => Object(read(path)?.owner).id === id;
  return {
    hold: () => {
      if (isMine()) {
        utimesSync(path, new Date(), new Date());
        return true;
      }
      if (lockOwner(path) !== undefined) return false;
      // If another process does the same at this moment, one of them finds that the lock is not its own before it saves.
      rmSync(path, { force: true });
      return create(path, JSON.stringify({ pid, host: hostname(), id })) && isMine();
    },
    release: () => {
      if (isMine()) rmSync(path, { force: true });
    },
  };
}
