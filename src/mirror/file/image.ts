import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, fsyncSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { isObject } from '../../shared/json.ts';
import { type AboutImage, type ImageHeader, RefusedError } from '../engine/messages.ts';

// A mirror file: a header of fixed length, one line of JSON, then the database. The header has the digest of the database.

/** Padded with spaces, with a line break at the end. */
const headerLength = 4_096;
const format = 3;
/** Older formats are only deleted. */
const oldFormats = [1, 2];
/** A larger file is not read. */
const maxBytes = 2 ** 31;

const damaged = (why: string) => new RefusedError('damaged', why);
const digestOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** The header in these bytes, and its format; undefined if it is no header that this program has written. */
function headerIn(bytes: Buffer): (ImageHeader & { format: number }) | undefined {
  const text = bytes.toString();
  if (!/^\{.*\} *\n$/.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value)) return undefined;
    const { format: own, schema, baseUrl, timezone, savedAt, sha256 } = value;
    // The first formats counted pages.
    const length = value.bytes ?? value.pages;
    const hasTexts = [baseUrl, timezone, savedAt, sha256].every((one) => typeof one === 'string');
    const isDigest = /^[\da-f]{64}$/.test(String(sha256)) && Number.isSafeInteger(length) && Number(length) > 0;
    const isKnown = own === format || oldFormats.includes(Number(own));
    if (!isKnown || !Number.isSafeInteger(schema) || !hasTexts || !isDigest) return undefined;
    return { ...(value as unknown as ImageHeader), format: Number(own) };
  } catch {
    return undefined;
  }
}

function readFully(descriptor: number, length: number, position: number): Buffer {
  const into = Buffer.allocUnsafeSlow(length);
  for (let done = 0; done < length; ) {
    const count = readSync(descriptor, into, done, length - done, position + done);
    if (count === 0) throw damaged('it is shorter than its header says');
    done += count;
  }
  return into;
}

function withFile<Result>(path: string, use: (descriptor: number) => Result): Result {
  const descriptor = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  try {
    return use(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Whether a file begins with a whole header that this program has written, in any format. */
export function isMirrorFile(path: string): boolean {
  return withFile(path, (descriptor) => {
    const stats = fstatSync(descriptor);
    return (
      stats.isFile() && stats.size > headerLength && headerIn(readFully(descriptor, headerLength, 0)) !== undefined
    );
  });
}

/**
 * Reads a whole file. Undefined for one of an older format. Throws a `RefusedError` of kind `damaged` if it is not what was
 * saved.
 */
export function readImage(path: string): { header: ImageHeader; bytes: Uint8Array<ArrayBuffer> } | undefined {
  return withFile(path, (descriptor) => {
    const { size } = fstatSync(descriptor);
    if (size > maxBytes) throw damaged('it is too large');
    const header = headerIn(readFully(descriptor, headerLength, 0));
    if (header === undefined) throw damaged('its header is not of this program');
    if (header.format !== format) return undefined;
    if (size !== headerLength + header.bytes) throw damaged('its length is not that of its header');
    const bytes = readFully(descriptor, header.bytes, headerLength) as Buffer & Uint8Array<ArrayBuffer>;
    if (digestOf(bytes) !== header.sha256) throw damaged('its checksum is wrong');
    return { header, bytes };
  });
}

function writeFully(descriptor: number, bytes: Uint8Array, position: number): void {
  for (let done = 0; done < bytes.length; )
    done += writeSync(descriptor, bytes, done, bytes.length - done, position + done);
}

/** Writes a new file, which is on disk when this returns. A failure leaves none. */
export function writeImage(path: string, about: AboutImage, parts: Iterable<Uint8Array>): void {
  const descriptor = openSync(path, 'wx', 0o600);
  try {
    const digest = createHash('sha256');
    let bytes = 0;
    for (const part of parts) {
      digest.update(part);
      writeFully(descriptor, part, headerLength + bytes);
      bytes += part.length;
    }
    const header = Buffer.from(JSON.stringify({ format, ...about, bytes, sha256: digest.digest('hex') }));
    if (header.length >= headerLength) throw new Error('the header of the mirror file is too long');
    const padding = ' '.repeat(headerLength - header.length - 1);
    writeFully(descriptor, Buffer.from(`${header}${padding}\n`), 0);
    fsyncSync(descriptor);
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(descriptor);
  }
}
