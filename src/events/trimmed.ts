import { cutAt } from '../shared/clean-text.ts';
import { isObject, type Json } from '../shared/json.ts';

/** Characters of one text. An answer to an assignment can be as long as its writer likes. */
const maxText = 2_000;
const maxEntries = 50;
const maxDepth = 4;
/** Characters of the JSON of one record. */
const maxRecord = 16_000;

function trimValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return value.length > maxText ? `${cutAt(value, maxText)}…` : value;
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= maxDepth) return undefined;
  if (Array.isArray(value)) return value.slice(0, maxEntries).map((entry) => trimValue(entry, depth + 1));
  const fields = Object.entries(value).slice(0, maxEntries);
  return Object.fromEntries(fields.map(([name, field]) => [name, trimValue(field, depth + 1)]));
}

/** A record with a bounded size, since any number of them is stored. Fields that would exceed the bound are left out. */
export function trimmed(record: Json): Json {
  const value = trimValue(record, 0);
  let left = maxRecord;
  const fits = Object.entries(isObject(value) ? value : {}).filter(([name, field]) => {
    left -= name.length + (JSON.stringify(field)?.length ?? 0);
    return left >= 0;
  });
  return Object.fromEntries(fits);
}
