import type { Json } from '../src/shared/json.ts';

function isMappable(record: Json): boolean {
  const { id, title } = record;
  return (typeof id === 'number' || typeof id === 'string') && typeof title === 'string';
}

function hasMore(record: Json): boolean {
  return Object.keys(record).some((key) => key !== 'id' && key !== 'title');
}

/**
 * Records as a map from id to title, which is shorter than the list. Undefined if the map would lose data: a record
 * has no id or title, or, with `whole`, has other fields.
 */
export function titlesById(records: readonly Json[], { prefix = '', whole = false } = {}): Json | undefined {
  if (!records.every(isMappable) || (whole && records.some(hasMore))) return undefined;
  return Object.fromEntries(records.map(({ id, title }) => [`${prefix}${id}`, title]));
}
