import { listIn } from '../../api/http/decode.ts';
import { isObject } from '../../shared/json.ts';
import type { JsonRecord, RecordList } from './assumption.ts';

/** The body, or what is under `data` instead of it. */
export function contentOf(body: JsonRecord): JsonRecord {
  return isObject(body.data) ? body.data : body;
}

/** Finds the list in a body as the tools' answers do. */
export function findList(key: string, body: unknown): RecordList {
  const found = listIn(key, body);
  const entries = found?.entries ?? [];
  const rows = entries.filter(isObject);
  const meta = isObject(body) && isObject(body.meta) ? body.meta : {};
  return { rows, nonRecords: entries.length - rows.length, meta, key: found?.key || undefined };
}

/** Counts the documented fields that a record has, whatever their values. */
export function fieldsShown(fields: readonly string[], row: JsonRecord): number {
  return fields.filter((name) => Object.hasOwn(row, name)).length;
}

/** The record in a body that the tools could read: bare, or the nested object with more documented fields. */
export function findRecord(fields: readonly string[], body: unknown): JsonRecord | undefined {
  if (!isObject(body)) return undefined;
  const inside = Object.values(body).filter(isObject);
  return [body, ...inside].reduce((best, row) => (fieldsShown(fields, row) > fieldsShown(fields, best) ? row : best));
}

/** The values of one field in all rows, with undefined for missing ones. */
export function column(rows: readonly JsonRecord[], name: string): unknown[] {
  return rows.map((row) => row[name]);
}
