import { isObject, type Json } from '../../shared/json.ts';
import { alteredKey } from './altered-fields.ts';
import { besideCells } from './table-shape.ts';

// The rows of a list repeat values. The data states these once, beside the rows.

/** The key of the values that rows without the field have. */
export const defaultsKey = 'defaults';

/** Stating a value once costs as much as repeating it in this number of rows. */
const minRows = 3;
/** A usual value saves too little if it is only as frequent as a constant of the shortest list. */
const minUsual = 6;

const textOf = (value: unknown) => JSON.stringify(value);

/** The most frequent value, and the number of rows that have it. */
function mostFrequent(values: readonly unknown[]): [value: unknown, count: number] {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(textOf(value), (counts.get(textOf(value)) ?? 0) + 1);
  const [[text, count] = ['', 0]] = [...counts].sort(([, one], [, other]) => other - one);
  return [values.find((value) => textOf(value) === text), count];
}

/** The fields that every row has: elsewhere a missing value would look like the default. */
function sharedNames(rows: readonly Json[]): string[] {
  const [first = {}] = rows;
  const altered = new Set(rows.flatMap((row) => (Array.isArray(row[alteredKey]) ? row[alteredKey] : [])));
  return Object.keys(first).filter(
    (name) =>
      !besideCells.has(name) &&
      !altered.has(name) &&
      rows.every((row) => row[name] !== undefined && row[name] !== null),
  );
}

function defaultsOf(rows: readonly Json[], usual: readonly string[]): Json {
  const found = sharedNames(rows).flatMap((name) => {
    const [value, count] = mostFrequent(rows.map((row) => row[name]));
    const isDefault = count === rows.length || (usual.includes(name) && count >= minUsual);
    return isDefault ? [[name, value] as const] : [];
  });
  return Object.fromEntries(found);
}

function withoutDefaults(row: Json, defaults: Json): Json {
  const own = Object.entries(row).filter(
    ([name, value]) => !Object.hasOwn(defaults, name) || textOf(defaults[name]) !== textOf(value),
  );
  return Object.fromEntries(own);
}

/**
 * The data with the constant values of a list stated once, in `defaults` before the list. `usual`: fields whose most frequent
 * value becomes a default too; rows with another value keep it.
 */
export function withRowDefaults(data: Json, list: string, usual: readonly string[] = []): Json {
  const rows = data[list];
  if (!Array.isArray(rows) || rows.length < minRows || !rows.every(isObject)) return data;
  const defaults = defaultsOf(rows, usual);
  if (Object.keys(defaults).length === 0) return data;
  const entries = Object.entries(data).flatMap(([name, value]): [string, unknown][] =>
    name === list
      ? [
          [defaultsKey, defaults],
          [list, rows.map((row: Json) => withoutDefaults(row, defaults))],
        ]
      : [[name, value]],
  );
  return Object.fromEntries(entries);
}
