import { isObject, type Json } from '../../shared/json.ts';
import { entryLabel, type Format, fieldLabel, type Label } from './fence-free-text.ts';

/** The key under which a record names its fields whose text was cleaned or cut. */
export const alteredKey = 'altered_for_display';

/** "courses 7 title", for each altered field at any depth. */
function collectAltered(value: unknown, label: Label, format: Format, found: string[]): void {
  if (Array.isArray(value)) {
    for (const [index, entry] of value.entries()) collectAltered(entry, entryLabel(entry, label, index), format, found);
  }
  if (!isObject(value)) return;
  const own = value[alteredKey];
  if (Array.isArray(own)) for (const name of own) found.push(fieldLabel(value, label, name, format));
  for (const name of Object.keys(value)) {
    if (name !== alteredKey && typeof value[name] === 'object') {
      collectAltered(value[name], () => format(name), format, found);
    }
  }
}

/** The line that names every altered text of an answer; empty if there is none. */
export function alteredLines(data: Json, format: Format): string[] {
  const fields: string[] = [];
  collectAltered(data, () => '', format, fields);
  return fields.length === 0 ? [] : [`${alteredKey} (differs from the stored text): ${fields.join(', ')}`];
}

/** Whether any record of a list has an altered field. */
export function hasAltered(records: unknown): boolean {
  return Array.isArray(records) && records.some((record) => isObject(record) && alteredKey in record);
}

/** The altered fields of a record, by the names that an answer gives them. */
export function renamedAltered(record: Json, names: Readonly<Record<string, string>>): string[] {
  const own = record[alteredKey];
  return Array.isArray(own) ? own.map((name) => names[String(name)] ?? String(name)) : [];
}
