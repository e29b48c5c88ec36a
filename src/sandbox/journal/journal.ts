import { type FileHandle, open, readFile } from 'node:fs/promises';
import { SettingsError } from '../../shared/errors.ts';
import { type JournalContent, type JournalEntry, type JournalHeader, readJournal } from './journal-line.ts';
import { errorCode, lockJournal } from './journal-lock.ts';

/** An append-only file of writes. When `append` resolves, the line is on disk. */
export class Journal {
  readonly #handle: FileHandle;
  readonly #unlock: () => Promise<void>;
  /** Lines for the next write to disk. Lines appended during a write share the next one. */
  #lines = '';
  #next: Promise<void> | undefined;
  #last: Promise<void> = Promise.resolve();
  #broken = false;

  constructor(handle: FileHandle, unlock: () => Promise<void> = async () => {}) {
    this.#handle = handle;
    this.#unlock = unlock;
  }

  /** True after a line could not be written: memory and file differ, so nothing more may be appended. */
  get broken(): boolean {
    return this.#broken;
  }

  append(record: JournalHeader | JournalEntry): Promise<void> {
    this.#lines += `${JSON.stringify(record)}\n`;
    this.#next ??= this.#last.then(() => this.#flush());
    return this.#next;
  }

  async close(): Promise<void> {
    await (this.#next ?? this.#last).catch(() => undefined);
    await this.#handle.close().finally(this.#unlock);
  }

  async #flush(): Promise<void> {
    const lines = this.#lines;
    this.#lines = '';
    this.#last = this.#next ?? this.#last;
    this.#next = undefined;
    try {
      await this.#handle.appendFile(lines);
      await this.#handle.datasync();
    } catch (error) {
      this.#broken = true;
      throw error;
    }
  }
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
  const journal = new Journal(handle, unlock);
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
