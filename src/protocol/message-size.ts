import { isObject } from '../shared/json.ts';
import { exceededBy } from '../shared/json-limits.ts';
import { withCommas } from '../shared/number-text.ts';
import { maxMetaBytes, maxRequestValues } from './input-limits.ts';

/** Whether the JSON of a value has more than `bytes` bytes. */
export function isLarger(value: unknown, bytes: number): boolean {
  try {
    return Buffer.byteLength(JSON.stringify(value) ?? '') > bytes;
  } catch {
    // The value is nested too deeply for JSON.stringify.
    return true;
  }
}

/** Whether the `_meta` of params or of a result is too large. */
export function hasLargeMeta(holder: unknown): boolean {
  return isObject(holder) && holder._meta !== undefined && isLarger(holder._meta, maxMetaBytes);
}

export const largeMeta = `its _meta is larger than ${maxMetaBytes / 1024} KiB`;

/** Whether a text has more JSON values than a request may. Checked before parsing. */
export function hasTooManyValues(text: string): boolean {
  return exceededBy(text, { values: maxRequestValues }) !== undefined;
}

export const tooManyValues = `it contains more than ${withCommas(maxRequestValues)} values`;
