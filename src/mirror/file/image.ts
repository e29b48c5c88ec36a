import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, fsyncSync, openSync, readSync, rmSync, writeFileSync } from 'node:fs';
import { isObject } from '../../shared/json.ts';
import { type AboutImage, type Image, type ImageHeader, maxBytes, RefusedError } from '../engine/messages.ts';

// A mirror file: a header of fixed length, one line of JSON, then the database. The header has the digest of the database.

/** Padded with spaces, with a line break at the end. */
const headerLength = 4_096;
const format = 3;
/** Older formats are only deleted. */
const oldFormats = [1, 2];

const digestOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const damaged = (why: string) => new RefusedError('damaged', why);

/** The header in these bytes, and its format; undefined if it is no header that this program has written. */
function headerIn(bytes: Buffer): (ImageHeader & { format: number }) | undefined {
  const text = bytes.toString();
  if (!/^\{.*\} *\n$/.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value)) return undefined;
    // The first formats counted pages.
    const { format: own, schema, baseUrl, timezone, savedAt, sha256, pages, bytes: length = pages } = value;
    const hasTexts = [baseUrl, timezone, savedAt].every((one) => typeof one === 'string');
    const hasNumbers = Number.isSafeInteger(schema) && Number.isSafeInteger(length) && Number(length) > 0;
    const isKnown = own === format || oldFormats.includes(Number(own));
    if (!isKnown || !hasTexts || !hasNumbers || !/^[\da-f]{64}$/.test(String(sha256))) return undefined;
    return { ...(value as unknown as ImageHeader), format: Number(own) };
  } catch {
    return undefined;
  }
}

function withFile<Result>(path: string, use: (descriptor: number, size: number) => Result): Result {
  const descriptor = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  try {
    return use(descriptor, fstatSync(descriptor).size);
  } finally {
    closeSync(descriptor);
  }
}

/** Whether a regular file begins with a whole header that this program has written, in any format. */
export function isMirrorFile(path: string): boolean {
  return withFile(path, (descriptor, size) => {
    const start = Buffer.alloc(headerLength);
    return size > headerLength && readSync(descriptor, start) === headerLength && headerIn(start) !== undefined;
  });
}

/**
 * Reads the database of a file. Undefined for a file of an older format. Throws a `RefusedError` of kind `damaged` if it is not what
 * was saved.
 */
export function readImage(path: string, image: Image): ImageHeader | undefined {
  return withFile(path, (descriptor, size) => {
    const start = Buffer.alloc(headerLength);
    readSync(descriptor, start);
    const header = headerIn(start);
    if (header === undefined) throw damaged('its header is not of this program');
    if (header.format !== format) return undefined;
    const isWhole = size === headerLength + header.bytes && header.bytes <= maxBytes;
    if (!isWhole) throw damaged('its length is not that of its header');
    image.resize(header.bytes);
    for (let at = 0; at < header.bytes; ) at += readSync(descriptor, image.bytes(at)) || header.bytes;
    if (digestOf(image.bytes()) !== header.sha256) throw damaged('its checksum is wrong');
    return header;
  });
}

/** Writes a new file, which is on disk when this returns. A failure leaves none. */
export function writeImage(path: string, about: AboutImage, bytes: Uint8Array): void {
  const descriptor = openSync(path, 'wx', 0o600);
  try {
    const header = JSON.stringify({ format, ...about, bytes: bytes.length, sha256: digestOf(bytes) });
    const padded = Buffer.alloc(headerLength, ' ');
    padded.write('\n', headerLength - 1);
    if (Buffer.byteLength(header) >= headerLength) throw new Error('the header of the mirror file is too long');
    padded.write(header);
    writeFileSync(descriptor, padded);
    writeFileSync(descriptor, bytes);
    fsyncSync(descriptor);
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(descriptor);
  }
}
