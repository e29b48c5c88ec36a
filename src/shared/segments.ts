import { readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Bytes of the events file, or of the journal, at which a new one begins. */
export const maxSegmentBytes = 4 * 2 ** 20;
/** Older files that are kept. */
const keptSegments = 3;

/** Two processes that rotate at the same time get two names, so that none overwrites the other's file. */
const suffix = /^\.\d{15}-\d+$/;

/** Paths of the older files, the oldest first. */
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
