import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, fsyncSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { isObject } from '../../shared/json.ts';
import type { ImageHeader } from './messages.ts';
import { RefusedError } from './refused-error.ts';

// A mirror file: a header of fixed length, in JSON, the pages of the database, and a SHA-256 digest of each page. The header has
// the digest of the digests, so a page can be checked when it is read, and opening a file reads none.

/** Bytes of a page of the database. */
export const pageLength = 8_192;
/** Of the header, in bytes: padded with spaces, with a line break at the end. */
const headerLength = 4_096;
const digestLength = 32;
/** Of the file. Another format is never read. */
export const imageFormat = 2;
/** How every format of the file begins. */
export const imageStart = '{"format":';
/** A larger file is not read. */
const maxPages = 200_000;
/** Pages of one write. */
const writtenAtOnce = 128;

const noFollow = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0);
const isText = (value: unknown): value is string => typeof value === 'string';
const isCount = (value: unknown): value is number => Number.isSafeInteger(value);

const damaged = (why: string) => new RefusedError({ kind: 'damaged', message: why });
const digestOf = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest();

/** A mirror file on disk. It never changes: a new version is a new file. */
export interface Image {
  readonly header: ImageHeader;
  /** Reads a page, from 0. Throws a `RefusedError` of kind `damaged` if it is not the page that was saved. */
  read(number: number, into: Uint8Array): void;
  close(): void;
}

/** Without zod, which the thread would load for this alone. */
function headerIn(text: string): ImageHeader | undefined {
  const value: unknown = JSON.parse(text);
  if (!isObject(value)) return undefined;
  const { format, schema, baseUrl, timezone, savedAt, pages, sha256 } = value;
  const isHeader = format === imageFormat && isCount(schema) && isText(baseUrl) && isText(timezone) && isText(savedAt);
  if (!isHeader || !isCount(pages) || pages < 1 || pages > maxPages || !isText(sha256)) return undefined;
  return { format, schema, baseUrl, timezone, savedAt, pages, sha256 };
}

function readFully<Bytes extends Uint8Array>(descriptor: number, into: Bytes, position: number): Bytes {
  for (let done = 0; done < into.length; ) {
    const count = readSync(descriptor, into, done, into.length - done, position + done);
    if (count === 0) throw damaged('it is shorter than its header says');
    done += count;
  }
  return into;
}

function writeFully(descriptor: number, bytes: Uint8Array, position: number): void {
  for (let done = 0; done < bytes.length; ) {
    done += writeSync(descriptor, bytes, done, bytes.length - done, position + done);
  }
}

function readHeader(descriptor: number): ImageHeader {
  let header: ImageHeader | undefined;
  try {
    header = headerIn(readFully(descriptor, Buffer.alloc(headerLength), 0).toString());
  } catch {}
  if (header === undefined) throw damaged('its header cannot be read');
  const length = headerLength + header.pages * (pageLength + digestLength);
  if (fstatSync(descriptor).size !== length) throw damaged('its length is not that of its header');
  return header;
}

function imageOf(descriptor: number, header: ImageHeader, digests: Buffer): Image {
  return {
    header,
    read: (number, into) => {
      readFully(descriptor, into, headerLength + number * pageLength);
      const expected = digests.subarray(number * digestLength, (number + 1) * digestLength);
      if (!digestOf(into).equals(expected)) throw damaged(`the checksum of its page ${number} is wrong`);
    },
    close: () => closeSync(descriptor),
  };
}

/** Opens a mirror file. Throws a `RefusedError` of kind `damaged` for anything else. */
export function openImage(file: string): Image {
  const descriptor = openSync(file, noFollow);
  try {
    const header = readHeader(descriptor);
    const digests = Buffer.alloc(header.pages * digestLength);
    readFully(descriptor, digests, headerLength + header.pages * pageLength);
    if (digestOf(digests).toString('hex') !== header.sha256) throw damaged('the checksum of its checksums is wrong');
    return imageOf(descriptor, header, digests);
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

/** Writes the pages, some at a time, and returns the digest of each. */
function writePages(descriptor: number, count: number, pageAt: (number: number) => Uint8Array): Buffer {
  const digests = Buffer.alloc(count * digestLength);
  const some = Buffer.alloc(writtenAtOnce * pageLength);
  for (let start = 0; start < count; start += writtenAtOnce) {
    const end = Math.min(count, start + writtenAtOnce);
    for (let number = start; number < end; number += 1) {
      const page = pageAt(number);
      some.set(page, (number - start) * pageLength);
      digestOf(page).copy(digests, number * digestLength);
    }
    writeFully(descriptor, some.subarray(0, (end - start) * pageLength), headerLength + start * pageLength);
  }
  return digests;
}

/** Writes pages to a new file, which is on disk when this returns. Fails if the file exists. */
export function writeImage(
  file: string,
  count: number,
  pageAt: (number: number) => Uint8Array,
  about: Omit<ImageHeader, 'format' | 'pages' | 'sha256'>,
): Image {
  const descriptor = openSync(file, 'wx+', 0o600);
  try {
    const digests = writePages(descriptor, count, pageAt);
    writeFully(descriptor, digests, headerLength + count * pageLength);
    const header: ImageHeader = {
      format: imageFormat,
      ...about,
      pages: count,
      sha256: digestOf(digests).toString('hex'),
    };
    // Last, so that a file without its end has no header either.
    writeFully(descriptor, new TextEncoder().encode(`${JSON.stringify(header).padEnd(headerLength - 1)}\n`), 0);
    fsyncSync(descriptor);
    return imageOf(descriptor, header, digests);
  } catch (error) {
    closeSync(descriptor);
    rmSync(file, { force: true });
    throw error;
  }
}
