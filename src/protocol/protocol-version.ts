import { isObject } from '../shared/json.ts';

/** In `_meta` of every request of 2026-07-28 and later. Specification, "Requests". */
const versionKey = 'io.modelcontextprotocol/protocolVersion';

/** The first version without sessions. Versions are dates, so that their order is that of text. */
const firstModern = '2026-07-28';

/** Whether a message claims a version of the protocol in which every request stands for itself. */
export function hasModernVersion(message: unknown): boolean {
  const params = isObject(message) ? message.params : undefined;
  return isObject(params) && isObject(params._meta) && versionKey in params._meta;
}

/** Whether a MCP-Protocol-Version header names such a version. */
export function isModernVersion(header: string | undefined): boolean {
  return header !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(header) && header >= firstModern;
}
