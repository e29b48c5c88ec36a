import { alteredKey } from '../src/mcp/output/altered-fields.ts';
import type { Json } from '../src/shared/json.ts';

/** The fields of a record that a map shows. The caller names altered titles. */
const mapped = ['id', 'title', alteredKey];

function isMappable(record: Json): boolean {
  const { id, title } = record;
  return (typeof id === 'number' || typeof id === 'string') && typeof title === 'string';
}

function hasMore(record: Json): boolean {
  return Object.keys(record).some((key) => !mapped.includes(key));
}

/**
 * Records as a map from id to title, which is shorter than the list. Undefined if the map would lose data: a record
 * has no id or title, or, with `whole`, has other fields.
 */
export function titlesById(records: readonly Json[], { prefix = '', whole = false } = {}): Json | undefined {
  if (!records.every(isMappable) || (whole && records.some(hasMore))) return undefined;
  return Object.fromEntries(records.map(({ id, title }) => [`${prefix}${id}`, title]));
}
