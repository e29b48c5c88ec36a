import { lstatSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { SettingsError } from '../../shared/errors.ts';
import { isObject, type Json } from '../../shared/json.ts';
import { checkPrivateFile } from '../../shared/private-file.ts';
import { olderSegments, openSegmentedFile, rotate, type SegmentedFile } from '../../shared/segmented-file.ts';

/** Where a journal keeps its lines. */
export interface JournalLines extends SegmentedFile {
  /** All lines, oldest first; undefined for one that is no JSON, such as one that a crash cut. */
  read(): (Json | undefined)[];
}

const setting = 'ACADEMY_JOURNAL';

/** The oldest lines in memory go first. Characters, so that long texts count more. */
const maxInMemory = 8_000_000;

export function journalInMemory(): JournalLines {
  const lines: string[] = [];
  let length = 0;
  return {
    append: async (line) => {
      const text = JSON.stringify(line);
      lines.push(text);
      length += text.length;
      while (length > maxInMemory) length -= lines.shift()?.length ?? length;
    },
    read: () => lines.map(parsed),
    close: async () => {},
  };
}

function parsed(text: string): Json | undefined {
  try {
    const line: unknown = JSON.parse(text);
    return isObject(line) ? line : undefined;
  } catch {
    return undefined;
  }
}

/** Whoever can write the file decides what an undo writes. Windows has no such owners. */
function check(file: string): void {
  checkPrivateFile(file, setting);
  const { uid } = userInfo();
  const owner = lstatSync(file, { throwIfNoEntry: false })?.uid ?? uid;
  if (uid >= 0 && owner !== uid)
    throw new SettingsError(`${setting} cannot be used: the file belongs to another user (${owner})`);
}

function textsIn(file: string): string[] {
  check(file);
  try {
    return readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '');
  } catch (error) {
    // Another process has just renamed or deleted it.
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

/**
 * A file that any number of processes may share, and the older ones beside it. Throws `SettingsError` for one that is unsafe
 * or not writable.
 */
export function journalInFile(file: string, maxBytes?: number): JournalLines {
  check(file);
  const read = () => [...olderSegments(file), file].flatMap(textsIn).map(parsed);
  return { ...openSegmentedFile(file, setting, maxBytes), read };
}

/** Time for another process to finish the line that it is writing. */
const settleMs = 200;

/** Deletes all lines from before a time, in milliseconds since 1970, and those that cannot be read. Returns how many. */
export async function purgeJournal(file: string, before: number): Promise<number> {
  check(file);
  // Servers that write go on in a new file.
  rotate(file, Number.POSITIVE_INFINITY);
  await setTimeout(settleMs);
  let purged = 0;
  for (const segment of olderSegments(file)) {
    const texts = textsIn(segment);
    const left = texts.filter((text) => Number(parsed(text)?.at ?? 0) >= before);
    purged += texts.length - left.length;
    const fresh = `${segment}.purged`;
    writeFileSync(fresh, left.map((text) => `${text}\n`).join(''), { mode: 0o600, flush: true });
    if (left.length > 0) renameSync(fresh, segment);
    else for (const empty of [fresh, segment]) rmSync(empty);
  }
  return purged;
}
