import { createHash } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  openSync,
  readSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { isObject } from '../../shared/json.ts';
import { type AboutImage, type ImageHeader, partLength, RefusedError } from '../engine/messages.ts';

// A mirror file: a header of fixed length, one line of JSON, then the database. The header has the digest of the database.

/** Padded with spaces, with a line break at the end. */
const headerLength = 4_096;
const format = 3;
/** Older formats are only deleted. */
const oldFormats = [1, 2];
/** A larger file is not read. */
const maxBytes = 2 ** 31 - 1;

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
 * Reads a whole file, and gives away its database part by part. Undefined for one of an older format. Throws a `RefusedError` of kind
 * `damaged` if it is not what was saved: then the parts are of no use. `isChecked`: another thread compares the digest of the same
 * file meanwhile, and what was read here is used only if the headers are the same.
 */
export function readImage(path: string, take: (part: Uint8Array) => void, isChecked = false): ImageHeader | undefined {
  return withFile(path, (descriptor, size) => {
    const buffer = Buffer.allocUnsafeSlow(partLength);
    const read = (length: number) => buffer.subarray(0, readSync(descriptor, buffer, 0, length, null));
    if (size > maxBytes) throw damaged('it is too large');
    const header = headerIn(read(headerLength));
    if (header === undefined) throw damaged('its header is not of this program');
    if (header.format !== format) return undefined;
    if (size !== headerLength + header.bytes) throw damaged('its length is not that of its header');
    const digest = createHash('sha256');
    for (let left = header.bytes; left > 0; left -= partLength) {
      const part = read(Math.min(left, partLength));
      if (!isChecked) digest.update(part);
      take(part);
    }
    if (!isChecked && digest.digest('hex') !== header.sha256) throw damaged('its checksum is wrong');
    return header;
  });
}

/** Writes a new file, which is on disk when this returns. A failure leaves none. `partFrom`: no bytes after the last part. */
export function writeImage(path: string, about: AboutImage, partFrom: (byte: number) => Uint8Array): void {
  const descriptor = openSync(path, 'wx', 0o600);
  try {
    const digest = createHash('sha256');
    let bytes = 0;
    writeFileSync(descriptor, Buffer.alloc(headerLength));
    for (let part = partFrom(0); part.length > 0; part = partFrom(bytes)) {
      digest.update(part);
      writeFileSync(descriptor, part);
      bytes += part.length;
    }
    const header = JSON.stringify({ format, ...about, bytes, sha256: digest.digest('hex') });
    const padded = Buffer.alloc(headerLength, ' ');
    padded.write('\n', headerLength - 1);
    if (Buffer.byteLength(header) >= headerLength) throw new Error('the header of the mirror file is too long');
    padded.write(header);
    writeSync(descriptor, padded, 0, headerLength, 0);
    fsyncSync(descriptor);
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(descriptor);
  }
}
