import { wrapperKeys } from '../../api/http/error-body.ts';
import { isObject } from '../../shared/json.ts';
import type { JsonRecord, RecordList } from './assumption.ts';

/** Returns the content of a wrapper such as `data`, or the body itself if it has none. */
export function contentOf(body: JsonRecord): JsonRecord {
  const only = Object.entries(body).find(
    ([name, value]) => wrapperKeys.has(name) && name !== 'meta' && isObject(value),
  );
  return only !== undefined && isObject(only[1]) ? only[1] : body;
}

function listUnder(key: string, body: JsonRecord): [key: string | undefined, list: readonly unknown[]] {
  for (const holder of [body, contentOf(body)]) {
    if (Array.isArray(holder[key])) return [key, holder[key]];
    const lists = Object.entries(holder).filter((entry): entry is [string, unknown[]] => Array.isArray(entry[1]));
    const [only] = lists;
    if (lists.length === 1 && only !== undefined) return only;
  }
  return [undefined, []];
}

/** Finds the list in a body: bare, under `key`, or under the only key with a list. */
export function findList(key: string, body: unknown): RecordList {
  const [found, entries] = isObject(body) ? listUnder(key, body) : [undefined, Array.isArray(body) ? body : []];
  const rows = entries.filter(isObject);
  const meta = isObject(body) && isObject(body.meta) ? body.meta : {};
  return { rows, nonRecords: entries.length - rows.length, meta, key: found };
}

/** Counts the documented fields that a record has, whatever their values. */
export function fieldsShown(fields: readonly string[], row: JsonRecord): number {
  return fields.filter((name) => Object.hasOwn(row, name)).length;
}

/** Finds the record in a body: bare, or the nested object with more documented fields. */
export function findRecord(fields: readonly string[], body: unknown): JsonRecord | undefined {
  if (!isObject(body)) return undefined;
  const inside = Object.values(body).filter(isObject);
  return [body, ...inside].reduce((best, row) => (fieldsShown(fields, row) > fieldsShown(fields, best) ? row : best));
}

/** The values of one field in all rows, with undefined for missing ones. */
export function column(rows: readonly JsonRecord[], name: string): unknown[] {
  return rows.map((row) => row[name]);
}
