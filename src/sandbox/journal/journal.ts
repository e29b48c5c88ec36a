import { type FileHandle, open, readFile } from 'node:fs/promises';
import { SettingsError } from '../../shared/errors.ts';
import { type JournalContent, type JournalEntry, type JournalHeader, readJournal } from './journal-line.ts';
import { errorCode, lockJournal } from './journal-lock.ts';

/** An append-only file of what was done. A resolved `append` has reached the disk. */
export class Journal {
  readonly #handle: FileHandle;
  readonly #unlock: () => Promise<void>;
  /** Lines for the next write to the disk; all that come while one is under way share the next. */
  #lines = '';
  #next: Promise<void> | undefined;
  #last: Promise<void> = Promise.resolve();
  #broken = false;

  constructor(handle: FileHandle, unlock: () => Promise<void> = async () => {}) {
    this.#handle = handle;
    this.#unlock = unlock;
  }

  /** True once a line could not be written: memory and file differ from then on, and nothing may be added. */
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
 * Opens a journal file for this process alone, or makes one, and cuts off what a crash left half written. Throws a
 * SettingsError when the file cannot be used, and an Error naming it when it holds something else.
 */
export async function openJournal(file: string): Promise<OpenedJournal> {
  // Opened first: whatever is wrong with the file itself is told before anything of its lock.
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

/** In plain words what often goes wrong; a code that is not among these is told as it is. */
const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'its folder is not there',
  ENOTDIR: 'its folder is a file',
  EISDIR: 'it is a folder',
  EACCES: 'this user may not write it, or its folder',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
};

/** Turns an error of the system into one that names the setting; passes on what has words of ours. */
function unusable(file: string): (error: unknown) => never {
  return (error) => {
    const code = errorCode(error);
    if (error instanceof SettingsError || typeof code !== 'string' || !(error instanceof Error)) throw error;
    throw new SettingsError(`--data: cannot use ${file}: ${reasons[code] ?? error.message}`);
  };
}
