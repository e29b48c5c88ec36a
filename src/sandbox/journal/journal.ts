import { type FileHandle, open, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { kill, pid } from 'node:process';
import * as z from 'zod';
import { SettingsError } from '../../shared/errors.ts';

// The only use of the process outside main.ts: whether the holder of a lock is alive is known only here.

// A journal is a file of JSON lines: the writes, and for each account a header before its first write.

const time = z.iso.datetime();

/** The settings that decide the seeded data of an account. */
const journalHeader = z.strictObject({
  journal: z.literal(1),
  account: z.string(),
  seed: z.int(),
  students: z.int(),
  orders: z.int(),
  sequence: z.enum(['absolute', 'shift']),
  now: time,
});

/** One accepted write or simulated activity. */
const journalEntry = z.strictObject({
  at: time,
  account: z.string(),
  /** The id of an operation, or `activity.` and the name of an activity. */
  operation: z.string(),
  input: z.unknown(),
});

export type JournalHeader = z.infer<typeof journalHeader>;
export type JournalEntry = z.infer<typeof journalEntry>;

/** An entry with its line number, for error messages. */
export interface NumberedEntry extends JournalEntry {
  line: number;
}

/** The content of a journal file. */
export interface JournalContent {
  headers: JournalHeader[];
  entries: NumberedEntry[];
  /** Bytes up to the end of the last complete line. */
  completeBytes: number;
  /** Whether the last line is complete except for its line feed. */
  needsLineFeed: boolean;
}

/**
 * Parses a journal. Drops a last line that a crash cut: its write was never answered. Throws an Error that names `file`
 * and the line for any other invalid line.
 */
export function readJournal(bytes: Buffer, file: string): JournalContent {
  const end = bytes.lastIndexOf('\n') + 1;
  const needsLineFeed = end < bytes.length && parseLine(bytes.toString('utf8', end)) !== undefined;
  const completeBytes = needsLineFeed ? bytes.length : end;
  const lines = bytes.toString('utf8', 0, completeBytes).split('\n');
  if (!needsLineFeed) lines.pop();
  const content: JournalContent = { headers: [], entries: [], completeBytes, needsLineFeed };
  lines.forEach((text, index) => {
    addLine(content, text, index + 1, file);
  });
  return content;
}

function addLine(content: JournalContent, text: string, line: number, file: string): void {
  const parsed = parseLine(text);
  if (parsed === undefined) throw new Error(`--data ${file}, line ${line}: not a line of a sandbox journal`);
  if ('journal' in parsed) content.headers.push(parsed);
  else content.entries.push({ ...parsed, line });
}

const journalLine = z.union([journalHeader, journalEntry]);

function parseLine(text: string): JournalHeader | JournalEntry | undefined {
  try {
    return journalLine.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** Locks that this process holds: two sandboxes in one process have the same process id. */
const heldLocks = new Set<string>();

/**
 * Locks a journal file for this process, by a file beside it with the process id. Takes over the lock of a process that
 * no longer runs. Returns the function that unlocks; throws a SettingsError if another process holds the lock.
 */
async function lockJournal(file: string): Promise<() => Promise<void>> {
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
function errorCode(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

export type Journal = ReturnType<typeof createJournal>;

/** An append-only file of writes. When `append` resolves, the line is on disk. */
export function createJournal(handle: FileHandle, unlock: () => Promise<void> = async () => {}) {
  /** Lines for the next write to disk. Lines appended during a write share the next one. */
  let lines = '';
  let next: Promise<void> | undefined;
  let last: Promise<void> = Promise.resolve();
  let broken = false;

  async function flush(): Promise<void> {
    const text = lines;
    lines = '';
    last = next ?? last;
    next = undefined;
    try {
      await handle.appendFile(text);
      await handle.datasync();
    } catch (error) {
      broken = true;
      throw error;
    }
  }

  return {
    /** True after a line could not be written: memory and file differ, so nothing more may be appended. */
    get broken() {
      return broken;
    },
    append: (record: JournalHeader | JournalEntry): Promise<void> => {
      lines += `${JSON.stringify(record)}\n`;
      next ??= last.then(flush);
      return next;
    },
    close: async (): Promise<void> => {
      await (next ?? last).catch(() => undefined);
      await handle.close().finally(unlock);
    },
  };
}

export interface OpenedJournal {
  journal: Journal;
  content: JournalContent;
  file: string;
}

/**
 * Opens or creates a journal file, locks it, and cuts off a line that a crash left incomplete. Throws a SettingsError if
 * the file cannot be used, and an Error that names it if it is not a journal.
 */
export async function openJournal(file: string): Promise<OpenedJournal> {
  // Opened before the lock, so a problem of the file itself is reported first.
  const handle = await open(file, 'a').catch(unusable(file));
  const unlock = await lockJournal(file).catch(async (error: unknown) => {
    await handle.close();
    return unusable(file)(error);
  });
  const journal = createJournal(handle, unlock);
  try {
    return { journal, content: await contentOf(handle, file), file };
  } catch (error) {
    await journal.close();
    return unusable(file)(error);
  }
}

async function contentOf(handle: FileHandle, file: string): Promise<JournalContent> {
  const content = readJournal(await readFile(file), file);
  await handle.truncate(content.completeBytes);
  if (content.needsLineFeed) await handle.appendFile('\n');
  return content;
}

/** Plain words for common system errors. Others keep their message. */
const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'its folder does not exist',
  ENOTDIR: 'its folder is a file',
  EISDIR: 'it is a folder',
  EACCES: 'no permission to write it or its folder',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
};

/** Turns a system error into one that names the setting. Rethrows other errors. */
function unusable(file: string): (error: unknown) => never {
  return (error) => {
    const code = errorCode(error);
    if (error instanceof SettingsError || typeof code !== 'string' || !(error instanceof Error)) throw error;
    throw new SettingsError(`--data: cannot use ${file}: ${reasons[code] ?? error.message}`);
  };
}
