import { randomUUID } from 'node:crypto';
import { closeSync, openSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeSync } from 'node:fs';
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

/** Whether a process of this machine runs. A process of another user counts as one. */
export function isRunning(pid: number): boolean {
  try {
    kill(pid, 0);
    return true;
  } catch (error) {
    return isObject(error) && error.code === 'EPERM';
  }
}

function ownerIn(text: string): { pid: number; host: string; id: string } | undefined {
  try {
    const owner: unknown = JSON.parse(text);
    if (!isObject(owner)) return undefined;
    const { pid, host, id } = owner;
    return typeof pid === 'number' && typeof host === 'string' && typeof id === 'string'
      ? { pid, host, id }
      : undefined;
  } catch {
    return undefined;
  }
}

function read(path: string): { text: string; ageMs: number } | undefined {
  try {
    return { text: readFileSync(path, 'utf8'), ageMs: Date.now() - statSync(path).mtimeMs };
  } catch {
    return undefined;
  }
}

/** The process that has the lock now; undefined if it is free. On another machine, only the time tells. */
export function lockOwner(path: string): number | undefined {
  const lock = read(path);
  if (lock === undefined || lock.ageMs > staleMs) return undefined;
  const owner = ownerIn(lock.text);
  if (owner === undefined) return lock.ageMs < 5_000 ? 0 : undefined;
  return owner.host !== hostname() || isRunning(owner.pid) ? owner.pid : undefined;
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

/** Takes away a left-over lock. Of several processes that try, only one gets to rename the very file that it has read. */
function removeLeftOver(path: string, id: string): void {
  const before = read(path);
  if (before === undefined) return;
  const aside = `${path}-${id}`;
  try {
    renameSync(path, aside);
    // Another process was faster, and this is its new lock: it goes back.
    if (read(aside)?.text !== before.text) renameSync(aside, path);
    else rmSync(aside, { force: true });
  } catch {}
}

export function createFillLock(path: string, pid: number): FillLock {
  const id = randomUUID();
  const text = JSON.stringify({ pid, host: hostname(), id });
  const isMine = () => ownerIn(read(path)?.text ?? '')?.id === id;
  return {
    hold: () => {
      if (isMine()) {
        utimesSync(path, new Date(), new Date());
        return true;
      }
      if (lockOwner(path) !== undefined) return false;
      removeLeftOver(path, id);
      return create(path, text) && isMine();
    },
    release: () => {
      if (isMine()) rmSync(path, { force: true });
    },
  };
}
