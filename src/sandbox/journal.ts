import { type FileHandle, open, readFile } from 'node:fs/promises';
import { type JournalContent, type JournalEntry, type JournalHeader, readJournal } from './journal-line.ts';

/** An append-only file of what was done. A resolved `append` has reached the disk. */
export class Journal {
  readonly #handle: FileHandle;
  /** Lines for the next write to the disk; all that come while one is under way share the next. */
  #lines = '';
  #next: Promise<void> | undefined;
  #last: Promise<void> = Promise.resolve();
  #broken = false;

  constructor(handle: FileHandle) {
    this.#handle = handle;
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
    await this.#handle.close();
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

/** Opens a journal file, or makes one, and cuts off what a crash left half written. Throws an Error naming the file. */
export async function openJournal(file: string): Promise<OpenedJournal> {
  const content = readJournal(await readIfThere(file), file);
  const handle = await open(file, 'a');
  try {
    await handle.truncate(content.wholeBytes);
    if (content.needsLineFeed) await handle.appendFile('\n');
  } catch (error) {
    await handle.close();
    throw error;
  }
  return { journal: new Journal(handle), content, file };
}

async function readIfThere(file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return Buffer.alloc(0);
    throw error;
  }
}
