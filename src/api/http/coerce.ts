import * as z from 'zod';
import { parsePercent, percentFields } from '../../contract/schemas/decimal.ts';
import { fieldOf, type ResponseField } from '../../contract/schemas/response-text.ts';
import { isObject, type Json, setField } from '../../shared/json.ts';

// The one reader of values. Unknown fields are kept, digits are a number and a number is digits, all else is left out.

export type Report = (path: string) => void;

function asString(value: unknown): unknown {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return isObject(value) || Array.isArray(value) ? JSON.stringify(value) : value;
}

function asInteger(value: unknown): unknown {
  if (typeof value === 'string' && /^-?\d{1,15}(\.0+)?$/.test(value.trim())) return Number(value);
  // 54.6 is neither 54 nor 55: a number that is not whole is not converted, so it is left out.
  return value;
}

const booleans = new Map([
  ['true', true],
  ['false', false],
  ['1', true],
  ['0', false],
]);

function near(schema: z.ZodType, value: unknown): unknown {
  if (schema instanceof z.ZodString) return asString(value);
  if (schema instanceof z.ZodNumber) return percentFields.has(schema) ? parsePercent(value) : asInteger(value);
  if (schema instanceof z.ZodBoolean && typeof value !== 'object') return booleans.get(String(value)) ?? value;
  return value;
}

/** Most records are as documented: those are not copied. */
function readObject(fields: ResponseField['fields'], value: Json, path: string, report: Report): Json {
  let result: Json | undefined;
  const names = Object.keys(value);
  for (const name of names) {
    const known = fields?.get(name);
    const read = known === undefined ? value[name] : readValue(known, value[name], path, name, report);
    if (result === undefined && read !== value[name]) {
      result = {};
      for (const before of names.slice(0, names.indexOf(name))) setField(result, before, value[before]);
    }
    if (result !== undefined && read !== undefined) setField(result, name, read);
  }
  return result ?? value;
}

function readArray(item: ResponseField, value: unknown[], path: string, report: Report): unknown[] {
  const read = value.map((entry, index) => {
    if (entry === null) report(`${path}.${index}`);
    return readValue(item, entry, path, index, report);
  });
  if (read.every((entry, index) => entry === value[index])) return value;
  return read.filter((entry) => entry !== undefined);
}

/** `path` and `name` are apart, since most values need no path. */
function readValue(field: ResponseField, value: unknown, path: string, name: string | number, report: Report): unknown {
  if (value === null || value === undefined) return field.isNullable ? value : undefined;
  if (field.isUnvalidated || (field.isAnyString && typeof value === 'string')) return value;
  if (field.fields && isObject(value)) return readObject(field.fields, value, `${path}.${name}`, report);
  if (field.item && Array.isArray(value)) return readArray(field.item, value, `${path}.${name}`, report);
  const parsed = field.schema.safeParse(near(field.schema, value));
  if (parsed.success) return parsed.data;
  report(`${path}.${name}`);
  return undefined;
}

/** Reads an object by its schema. `report` receives the path of each value that could not be read. */
export function coerce(schema: z.ZodObject, value: Json, report: Report): Json {
  return readObject(fieldOf(schema).fields, value, '$', report);
}
