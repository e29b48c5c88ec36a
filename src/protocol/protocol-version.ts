import { isObject } from '../shared/json.ts';

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
