import { type FileHandle, open, readFile } from 'node:fs/promises';
import * as z from 'zod';
import { SettingsError } from '../../shared/errors.ts';

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
type JournalEntry = z.infer<typeof journalEntry>;

/** Drops a last line that a crash cut: its write was never answered. Throws an Error with `file` and line for any other. */
function readJournal(bytes: Buffer, file: string) {
  const completeBytes = bytes.lastIndexOf('\n') + 1;
  const lines = bytes.toString('utf8', 0, completeBytes).split('\n').slice(0, -1);
  const parsed = lines.map((text, index) => {
    const line = parseLine(text);
    if (line === undefined) throw new Error(`--data ${file}, line ${index + 1}: not a line of a sandbox journal`);
    return { ...line, line: index + 1 };
  });
  const headers = parsed.filter((line) => 'journal' in line);
  const entries = parsed.flatMap((line) => ('journal' in line ? [] : [line]));
  return { headers, entries, completeBytes };
}

const journalLine = z.union([journalHeader, journalEntry]);

function parseLine(text: string): JournalHeader | JournalEntry | undefined {
  try {
    return journalLine.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** An append-only file of writes, `size` bytes long. When `append` resolves, the line is on disk. */
export function createJournal(handle: FileHandle, size: number) {
  let length = size;
  let last: Promise<void> = Promise.resolve();
  let broken = false;

  async function write(record: JournalHeader | JournalEntry): Promise<void> {
    // A write of another sandbox is not in the memory of this one.
    if ((await handle.stat()).size !== length) throw new SettingsError('--data: another process uses the journal, too');
    const line = Buffer.from(`${JSON.stringify(record)}\n`);
    await handle.appendFile(line);
    await handle.datasync();
    length += line.length;
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
 * Opens or creates a journal file, and cuts off a line that a crash left incomplete. Throws a SettingsError if the file
 * cannot be used, and an Error that names it if it is not a journal.
 */
export async function openJournal(file: string) {
  let handle: FileHandle | undefined;
  try {
    handle = await open(file, 'a');
    const content = readJournal(await readFile(file), file);
    await handle.truncate(content.completeBytes);
    return { journal: createJournal(handle, content.completeBytes), content, file };
  } catch (error) {
    await handle?.close();
    if (!(error instanceof Error && 'code' in error)) throw error;
    throw new SettingsError(`--data: cannot use ${file}: ${error.message}`);
  }
}
