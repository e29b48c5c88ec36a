import { withCommas } from '../shared/invalid-input.ts';
import { isObject } from '../shared/json.ts';
import { exceededBy } from '../shared/json-limits.ts';

// Limits of what a client may send, on stdin and over HTTP. Limits of connections are in src/server/http/connections.ts
// and src/server/http/listener.ts, limits of sessions in legacy/sessions.ts.

/** Bytes of `_meta` in one message. */
export const maxMetaBytes = 16 * 1024;

/** Bytes of `capabilities` in initialize, which a session keeps. */
export const maxCapabilitiesBytes = 16 * 1024;

/** Characters of each of the name and the version of a client, which a session keeps. */
export const maxClientNameLength = 200;

/** Bytes of all unanswered requests of one caller, over all its sessions. */
export const maxPendingBytes = 8 * 2 ** 20;

/** JSON values in one request or line: each can take hundreds of bytes of memory. */
export const maxRequestValues = 200_000;

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
