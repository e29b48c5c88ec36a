import { createHash } from 'node:crypto';
import { closeSync, fstatSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs';
import { isObject } from '../../shared/json.ts';
import type { ImageHeader } from './messages.ts';
import { RefusedError } from './refused-error.ts';

// A mirror file: a header of fixed length, in JSON, then the pages of the database. The checksum is over the pages.

/** Of the header, in bytes: padded with spaces, with a line break at the end. */
const headerLength = 4_096;
/** Of the file. Another format is never read. */
export const imageFormat = 1;
/** A larger file is not read: the database is in memory. */
const maxBytes = 1_500_000_000;

const isText = (value: unknown): value is string => typeof value === 'string';
const isCount = (value: unknown): value is number => Number.isSafeInteger(value);

const damaged = (why: string) => new RefusedError({ kind: 'damaged', message: why });

export function checksum(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Without zod, which the thread would load for this alone. */
function headerIn(text: string): ImageHeader | undefined {
  const value: unknown = JSON.parse(text);
  if (!isObject(value)) return undefined;
  const { format, schema, baseUrl, timezone, savedAt, bytes, sha256 } = value;
  const isHeader = format === imageFormat && isCount(schema) && isText(baseUrl) && isText(timezone) && isText(savedAt);
  if (!isHeader || !isCount(bytes) || bytes < 512 || bytes > maxBytes || !isText(sha256)) return undefined;
  return { format, schema, baseUrl, timezone, savedAt, bytes, sha256 };
}

function parseHeader(text: string): ImageHeader {
  let header: ImageHeader | undefined;
  try {
    header = headerIn(text);
  } catch {}
  if (header === undefined) throw damaged('its header cannot be read');
  return header;
}

function readFully(descriptor: number, into: Uint8Array, position: number): void {
  for (let done = 0; done < into.length; ) {
    const count = readSync(descriptor, into, done, into.length - done, position + done);
    if (count === 0) throw damaged('it is shorter than its header says');
    done += count;
  }
}

/** The header of an image. Throws a `RefusedError` of kind `damaged` for anything else. */
export function readHeader(descriptor: number): ImageHeader {
  const head = new Uint8Array(headerLength);
  readFully(descriptor, head, 0);
  const header = parseHeader(new TextDecoder().decode(head));
  if (fstatSync(descriptor).size !== headerLength + header.bytes) throw damaged('its length is not that of its header');
  return header;
}

/** Reads the pages into memory that `allocate` gives. Throws `damaged` if their checksum is another one. */
export function readPages(descriptor: number, header: ImageHeader, allocate: (bytes: number) => Uint8Array): void {
  const pages = allocate(header.bytes);
  readFully(descriptor, pages, headerLength);
  if (checksum(pages) !== header.sha256) throw damaged('its checksum is wrong');
}

function writeFully(descriptor: number, bytes: Uint8Array, position: number): void {
  for (let done = 0; done < bytes.length; ) {
    done += writeSync(descriptor, bytes, done, bytes.length - done, position + done);
  }
}

/**
 * Writes an image to a new file, page by page, so that it is never in memory a second time. It is on disk when this returns.
 * Fails if the file exists.
 */
export function writeImage(
  file: string,
  pages: Iterable<Uint8Array>,
  about: Omit<ImageHeader, 'format' | 'bytes' | 'sha256'>,
): ImageHeader {
  const descriptor = openSync(file, 'wx', 0o600);
  const hash = createHash('sha256');
  let bytes = 0;
  try {
    for (const page of pages) {
      writeFully(descriptor, page, headerLength + bytes);
      hash.update(page);
      bytes += page.length;
    }
    const header: ImageHeader = { format: imageFormat, ...about, bytes, sha256: hash.digest('hex') };
    // Last, so that a file without its end has no header either.
    writeFully(descriptor, new TextEncoder().encode(`${JSON.stringify(header).padEnd(headerLength - 1)}\n`), 0);
    fsyncSync(descriptor);
    return header;
  } finally {
    closeSync(descriptor);
  }
}
