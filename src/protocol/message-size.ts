import { isObject } from '../shared/json.ts';
import { exceededBy } from '../shared/json-limits.ts';
import { maxMetaBytes, maxRequestValues } from './input-limits.ts';

/** Whether a value takes more than this many bytes as JSON. */
export function isLarger(value: unknown, bytes: number): boolean {
  try {
    return Buffer.byteLength(JSON.stringify(value) ?? '') > bytes;
  } catch {
    // Nested too deep to be written.
    return true;
  }
}

/** Whether params or a result hold a `_meta` that is too large. */
export function hasLargeMeta(holder: unknown): boolean {
  return isObject(holder) && holder._meta !== undefined && isLarger(holder._meta, maxMetaBytes);
}

export const largeMeta = `its _meta is larger than ${maxMetaBytes / 1024} KiB`;

/** Whether a text holds more values than a request may, which is asked before it is parsed. */
export function hasTooManyValues(text: string): boolean {
  return exceededBy(text, { values: maxRequestValues }) !== undefined;
}

export const tooManyValues = `it holds more than ${maxRequestValues.toLocaleString('en')} values`;
