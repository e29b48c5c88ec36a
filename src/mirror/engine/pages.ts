import { type Image, pageLength, writeImage } from './image.ts';
import type { ImageHeader } from './messages.ts';

/** The pages of the database: those of a file, under those that were changed since. Only changed ones must be in memory. */
export interface Pages {
  /** Of the database, in bytes. */
  length(): number;
  /** Of the pages that the file does not hold as they are now. */
  unsaved(): number;
  /** Fills `into` from a place within one page. Throws a `RefusedError` if the file is damaged there. */
  read(into: Uint8Array, position: number): void;
  /** Replaces a whole page. */
  write(page: Uint8Array, position: number): void;
  truncate(length: number): void;
  /** Writes all pages to a new file, which they are read from afterwards. */
  save(file: string, about: Omit<ImageHeader, 'format' | 'pages' | 'sha256'>): ImageHeader;
  /** A copy of all pages. */
  export(): Uint8Array;
  close(): void;
}

/** Pages of the file that are kept in memory, each checked once. */
const maxKept = (24 * 1024 * 1024) / pageLength;
/** Pages that are allocated together: one by one, they would be garbage as large as the database. */
const allocatedAtOnce = 128;

const emptyPage = new Uint8Array(pageLength);

/** Memory for pages, which are used again and again. */
function createPool() {
  const free: Uint8Array[] = [];
  return {
    take: (): Uint8Array => {
      const last = free.pop();
      if (last !== undefined) return last;
      const block = new Uint8Array(allocatedAtOnce * pageLength);
      for (let start = pageLength; start < block.length; start += pageLength)
        free.push(block.subarray(start, start + pageLength));
      return block.subarray(0, pageLength);
    },
    give: (page: Uint8Array | undefined): void => {
      if (page !== undefined) free.push(page);
    },
  };
}

/** The pages of a database that was exported. */
function pagesIn(exported: Uint8Array | undefined): Map<number, Uint8Array> {
  const count = (exported?.length ?? 0) / pageLength;
  const page = (number: number) => exported?.subarray(number * pageLength, (number + 1) * pageLength) ?? emptyPage;
  return new Map(Array.from({ length: count }, (_, number) => [number, page(number)]));
}

/** The pages of a file, those that `export` returned, or none. */
export function createPages({ image: given, exported }: { image?: Image; exported?: Uint8Array } = {}): Pages {
  let image = given;
  const pool = createPool();
  const changed = pagesIn(exported);
  const kept = new Map<number, Uint8Array>();
  let count = image?.header.pages ?? changed.size;
  /** The first pages that the file has, unless they were cut off since. */
  let inImage = image?.header.pages ?? 0;

  function remove(from: Map<number, Uint8Array>, number: number): void {
    pool.give(from.get(number));
    from.delete(number);
  }

  function keep(number: number, page: Uint8Array): void {
    const [oldest] = kept.keys();
    if (oldest !== undefined && kept.size >= maxKept) remove(kept, oldest);
    kept.set(number, page);
  }

  function fromFile(number: number): Uint8Array {
    const page = pool.take();
    if (image === undefined || number >= inImage) page.fill(0);
    else image.read(number, page);
    keep(number, page);
    return page;
  }

  const pageAt = (number: number) => changed.get(number) ?? kept.get(number) ?? fromFile(number);

  return {
    length: () => count * pageLength,
    unsaved: () => changed.size * pageLength,
    read: (into, position) => {
      const start = position % pageLength;
      into.set(pageAt((position - start) / pageLength).subarray(start, start + into.length));
    },
    write: (page, position) => {
      const number = position / pageLength;
      const own = changed.get(number) ?? kept.get(number) ?? pool.take();
      own.set(page);
      kept.delete(number);
      changed.set(number, own);
      count = Math.max(count, number + 1);
    },
    truncate: (length) => {
      count = length / pageLength;
      inImage = Math.min(inImage, count);
      for (const pages of [changed, kept]) {
        for (const number of pages.keys()) if (number >= count) remove(pages, number);
      }
    },
    save: (file, about) => {
      const written = writeImage(file, count, pageAt, about);
      image?.close();
      image = written;
      inImage = count;
      for (const [number, page] of changed) keep(number, page);
      changed.clear();
      return written.header;
    },
    export: () => {
      const all = new Uint8Array(count * pageLength);
      for (let number = 0; number < count; number += 1) all.set(pageAt(number), number * pageLength);
      return all;
    },
    close: () => image?.close(),
  };
}
