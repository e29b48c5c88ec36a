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
const maxKept = (48 * 1024 * 1024) / pageLength;

const emptyPage = new Uint8Array(pageLength);

/** The pages of a database that was exported. */
function pagesIn(exported: Uint8Array | undefined): Map<number, Uint8Array> {
  const count = (exported?.length ?? 0) / pageLength;
  const page = (number: number) => exported?.subarray(number * pageLength, (number + 1) * pageLength) ?? emptyPage;
  return new Map(Array.from({ length: count }, (_, number) => [number, page(number)]));
}

/** The pages of a file, those that `export` returned, or none. */
export function createPages({ image: given, exported }: { image?: Image; exported?: Uint8Array } = {}): Pages {
  let image = given;
  let changed = pagesIn(exported);
  const kept = new Map<number, Uint8Array>();
  let count = image?.header.pages ?? changed.size;
  /** The first pages that the file has, unless they were cut off since. */
  let inImage = image?.header.pages ?? 0;

  function keep(number: number, page: Uint8Array): void {
    const [oldest] = kept.keys();
    if (oldest !== undefined && kept.size >= maxKept) kept.delete(oldest);
    kept.set(number, page);
  }

  const fromFile = (number: number) => (number < inImage ? image?.page(number) : undefined) ?? emptyPage;
  const known = (number: number) => changed.get(number) ?? kept.get(number);

  function pageAt(number: number): Uint8Array {
    const found = known(number);
    if (found !== undefined) return found;
    const page = fromFile(number);
    keep(number, page);
    return page;
  }

  return {
    length: () => count * pageLength,
    unsaved: () => changed.size * pageLength,
    read: (into, position) => {
      const start = position % pageLength;
      into.set(pageAt((position - start) / pageLength).subarray(start, start + into.length));
    },
    write: (page, position) => {
      const number = position / pageLength;
      const before = changed.get(number);
      if (before === undefined) changed.set(number, page.slice());
      else before.set(page);
      kept.delete(number);
      count = Math.max(count, number + 1);
    },
    truncate: (length) => {
      count = length / pageLength;
      inImage = Math.min(inImage, count);
      for (const pages of [changed, kept]) {
        for (const number of pages.keys()) if (number >= count) pages.delete(number);
      }
    },
    save: (file, about) => {
      const written = writeImage(file, count, (number) => known(number) ?? fromFile(number), about);
      image?.close();
      image = written;
      inImage = count;
      for (const [number, page] of changed) keep(number, page);
      changed = new Map();
      return written.header;
    },
    export: () => {
      const all = new Uint8Array(count * pageLength);
      for (let number = 0; number < count; number += 1) {
        all.set(known(number) ?? fromFile(number), number * pageLength);
      }
      return all;
    },
    close: () => image?.close(),
  };
}
