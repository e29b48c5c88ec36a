import { isObject, type Json } from '../../shared/json.ts';
import { recordLabel } from './fence-free-text.ts';

/** The key under which a record names its fields whose text was cleaned or cut. */
export const alteredKey = 'altered_for_display';

type Format = (value: unknown) => string;

/** "courses 7 title", for each altered field at any depth. */
function alteredIn(value: unknown, label: string, format: Format): string[] {
  if (Array.isArray(value)) {
    return value.flatMap((entry, index) =>
      alteredIn(entry, isObject(entry) && 'id' in entry ? label : `${label} ${index + 1}`, format),
    );
  }
  if (!isObject(value)) return [];
  const here = recordLabel(value, label, format);
  const own = value[alteredKey];
  const names = Array.isArray(own) ? own.map((name) => [here, format(name)].filter(Boolean).join(' ')) : [];
  const nested = Object.entries(value).flatMap(([name, entry]) =>
    name === alteredKey ? [] : alteredIn(entry, format(name), format),
  );
  return [...names, ...nested];
}

/** The line that names every altered text of an answer; empty if there is none. `json`: the data as text, searched first. */
export function alteredLines(data: Json, json: string, format: Format): string[] {
  if (!json.includes(`"${alteredKey}"`)) return [];
  const fields = alteredIn(data, '', format);
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
