import * as z from 'zod';
import { parsePercent, percentFields } from '../../contract/schemas/percent.ts';
import { isUnvalidated } from '../../contract/schemas/unvalidated.ts';
import { unwrap } from '../../contract/schemas/unwrap.ts';
import { isObject, type Json, setField } from '../../shared/json.ts';

// The one reader of values. A missing field stays missing, an unknown field is kept, digits are a number and a number is
// digits, and a value of another form is left out and reported.

type Report = (path: string) => void;

function asString(value: unknown): unknown {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return isObject(value) || Array.isArray(value) ? JSON.stringify(value) : value;
}

function asInteger(value: unknown): unknown {
  if (typeof value === 'string' && /^-?\d{1,15}(\.0+)?$/.test(value.trim())) return Number(value);
  // 54.6 is neither 54 nor 55: a number that is not whole is not converted, so it is left out.
  return value;
}

const booleans = new Map<unknown, boolean>([
  ['true', true],
  ['false', false],
  ['1', true],
  ['0', false],
  [1, true],
  [0, false],
]);

function near(schema: z.ZodType, value: unknown): unknown {
  if (schema instanceof z.ZodString) return asString(value);
  if (schema instanceof z.ZodNumber) return percentFields.has(schema) ? parsePercent(value) : asInteger(value);
  if (schema instanceof z.ZodBoolean) return booleans.get(value) ?? value;
  return value;
}

function readObject(schema: z.ZodObject, value: Json, path: string, report: Report): Json {
  const result: Json = {};
  for (const [name, field] of Object.entries(value)) {
    const known: unknown = Object.hasOwn(schema.shape, name) ? schema.shape[name] : undefined;
    const read = known instanceof z.ZodType ? readValue(known, field, `${path}.${name}`, report) : field;
    if (read !== undefined) setField(result, name, read);
  }
  return result;
}

function readArray(item: z.ZodType, value: unknown[], path: string, report: Report): unknown[] {
  return value
    .map((entry, index) => {
      if (entry === null) report(`${path}.${index}`);
      return readValue(item, entry, `${path}.${index}`, report);
    })
    .filter((entry) => entry !== undefined);
}

function readValue(schema: z.ZodType, value: unknown, path: string, report: Report): unknown {
  if (value === null || value === undefined) return schema instanceof z.ZodNullable ? value : undefined;
  const inner = unwrap(schema);
  if (isUnvalidated(inner)) return value;
  if (inner instanceof z.ZodObject && isObject(value)) return readObject(inner, value, path, report);
  if (inner instanceof z.ZodArray && Array.isArray(value))
    return readArray(inner.element as z.ZodType, value, path, report);
  const parsed = inner.safeParse(near(inner, value));
  if (parsed.success) return parsed.data;
  report(path);
  return undefined;
}

/**
 * Reads an object by its schema, as described above. `report` receives the path of each value that could not be read.
 */
export function coerce(schema: z.ZodObject, value: Json, report: Report): Json {
  return readObject(schema, value, '$', report);
}
