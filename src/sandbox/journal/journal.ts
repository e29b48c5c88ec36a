import { type FileHandle, open, readFile, realpath, rm, writeFile } from 'node:fs/promises';
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

/** One accepted write, or a simulated activity. */
const journalEntry = z.strictObject({
  at: time,
  account: z.string(),
  /** The id of an operation, or `activity`. */
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
interface JournalContent {
  headers: JournalHeader[];
  entries: NumberedEntry[];
  /** Bytes up to the end of the last complete line. */
  completeBytes: number;
}

/**
 * Parses a journal. Drops a last line that a crash cut: its write was never answered. Throws an Error that names `file`
 * and the line for any other invalid line.
 */
function readJournal(bytes: Buffer, file: string): JournalContent {
  const completeBytes = bytes.lastIndexOf('\n') + 1;
  const lines = bytes.toString('utf8', 0, completeBytes).split('\n').slice(0, -1);
  const content: JournalContent = { headers: [], entries: [], completeBytes };
  for (const [index, text] of lines.entries()) {
    const parsed = parseLine(text);
    if (parsed === undefined) throw new Error(`--data ${file}, line ${index + 1}: not a line of a sandbox journal`);
    if ('journal' in parsed) content.headers.push(parsed);
    else content.entries.push({ ...parsed, line: index + 1 });
  }
  return content;
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
    if (isStale(await holderOf(lock))) await rm(lock, { force: true });
    await writeFile(lock, `${pid}\n`, { flag: 'wx' });
  } catch (error) {
    heldLocks.delete(lock);
    throw errorCode(error) === 'EEXIST' ? lockedError(lock, await holderOf(lock)) : error;
  }
  return async () => {
    await rm(lock, { force: true });
    heldLocks.delete(lock);
  };
}

/** The content of the lock file; empty if there is none. */
function holderOf(lock: string): Promise<string> {
  return readFile(lock, 'utf8').then(
    (text) => text.trim(),
    () => '',
  );
}

/**
 * A lock without a process id may be in the middle of its creation. One with our own id is left over from an earlier
 * process: in a container, both may have the same id.
 */
function isStale(holder: string): boolean {
  if (!/^[1-9]\d*$/.test(holder)) return false;
  try {
    return Number(holder) === pid || !kill(Number(holder), 0);
  } catch (error) {
    return errorCode(error) === 'ESRCH';
  }
}

function lockedError(lock: string, holder: string): SettingsError {
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
export function createJournal(handle: FileHandle) {
  let last: Promise<void> = Promise.resolve();
  let broken = false;

  async function write(record: JournalHeader | JournalEntry): Promise<void> {
    await handle.appendFile(`${JSON.stringify(record)}\n`);
    await handle.datasync();
  }

  return {
    /** True after a line could not be written: memory and file differ, so nothing more may be appended. */
    get broken() {
      return broken;
    },
    append: (record: JournalHeader | JournalEntry): Promise<void> => {
      last = last.then(() => write(record));
      last.catch(() => {
        broken = true;
      });
      return last;
    },
    close: async (): Promise<void> => {
      await last.catch(() => undefined);
      await handle.close();
    },
  };
}

export type OpenedJournal = Awaited<ReturnType<typeof openJournal>>;

/**
 * Opens or creates a journal file, locks it, and cuts off a line that a crash left incomplete. Throws a SettingsError if
 * the file cannot be used, and an Error that names it if it is not a journal.
 */
export async function openJournal(file: string) {
  let journal: Journal | undefined;
  let unlock: (() => Promise<void>) | undefined;
  const close = async () => {
    await journal?.close();
    await unlock?.();
  };
  try {
    // Opened before the lock, so a problem of the file itself is reported first.
    const handle = await open(file, 'a');
    journal = createJournal(handle);
    unlock = await lockJournal(file);
    const content = readJournal(await readFile(file), file);
    await handle.truncate(content.completeBytes);
    return { journal, content, file, close };
  } catch (error) {
    await close();
    const code = errorCode(error);
    if (error instanceof SettingsError || typeof code !== 'string' || !(error instanceof Error)) throw error;
    throw new SettingsError(`--data: cannot use ${file}: ${error.message}`);
  }
}
