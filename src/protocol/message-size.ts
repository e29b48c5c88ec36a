import { withCommas } from '../shared/invalid-input.ts';
import { isObject } from '../shared/json.ts';
import { exceededBy } from '../shared/json-limits.ts';

// Limits of what a client may send, on stdin and over HTTP. Limits of connections are in src/server/http/listener.ts
// and src/server/http/listener.ts, limits of sessions in legacy/sessions.ts.

/** Key in `_meta` of every request of 2026-07-28 and later. Specification, "Requests". */
const versionKey = 'io.modelcontextprotocol/protocolVersion';

/** Versions of the protocol that this program speaks, the newest first. Both SDKs list their own: a test compares them. */
export const supportedVersions = [
  '2026-07-28',
  '2025-11-25',
  '2025-06-18',
  '2025-03-26',
  '2024-11-05',
  '2024-10-07',
] as const;

/** The first version without sessions. Versions are dates, so comparing them as text orders them. */
const firstModern = '2026-07-28';

/** Whether a message names its protocol version in `_meta`, as every request of 2026-07-28 and later does. */
export function hasModernVersion(message: unknown): boolean {
  const params = isObject(message) ? message.params : undefined;
  return isObject(params) && isObject(params._meta) && versionKey in params._meta;
}

/** Whether an MCP-Protocol-Version header names 2026-07-28 or later. */
export function isModernVersion(header: string | undefined): boolean {
  return header !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(header) && header >= firstModern;
}

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
