import * as z from 'zod';
import { isAsSent } from '../../contract/as-sent.ts';
import { isObject, type Json, setField } from '../../shared/json.ts';

// The document leaves many shapes open, so an answer is read leniently: a missing field stays missing, an unknown
// one is kept, a value of a near type is converted ("49" for 49), and what cannot be read at all is left out and told.

type Report = (path: string) => void;
function asString(value: unknown): unknown {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return isObject(value) || Array.isArray(value) ? JSON.stringify(value) : value;
}

function asInteger(value: unknown): unknown {
  if (typeof value === 'string' && /^-?\d{1,15}(\.0+)?$/.test(value.trim())) return Number(value);
  // 0.54 is no 0: whoever writes shares of one means something else.
  if (typeof value === 'number' && value !== 0 && Math.abs(value) < 1) return undefined;
  return typeof value === 'number' ? Math.trunc(value) : value;
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
  if (schema instanceof z.ZodNumber) return asInteger(value);
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

/** Ids or titles may stand where the document shows objects, or shows nothing. */
function fromBare(schema: z.ZodType, value: unknown): unknown {
  if (!(schema instanceof z.ZodObject) || isObject(value)) return value;
  const names = Object.keys(schema.shape);
  const bareId = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  if (typeof bareId === 'number' && names.includes('id')) return { id: bareId };
  const label = names.find((name) => name === 'title' || name === 'name');
  return typeof value === 'string' && label !== undefined ? { [label]: value } : value;
}

function readArray(item: z.ZodType, value: unknown[], path: string, report: Report): unknown[] {
  return value
    .map((entry, index) => readValue(item, entry, `${path}.${index}`, report))
    .filter((entry) => entry !== undefined);
}

function unwrap(schema: z.ZodType): z.ZodType {
  const isWrapper = schema instanceof z.ZodOptional || schema instanceof z.ZodNullable;
  return isWrapper ? unwrap(schema.unwrap() as z.ZodType) : schema;
}

function readValue(schema: z.ZodType, value: unknown, path: string, report: Report): unknown {
  if (value === null || value === undefined) return schema instanceof z.ZodNullable ? value : undefined;
  const inner = unwrap(schema);
  if (isAsSent(inner)) return value;
  const whole = fromBare(inner, value);
  if (inner instanceof z.ZodObject && isObject(whole)) return readObject(inner, whole, path, report);
  if (inner instanceof z.ZodArray && Array.isArray(value)) {
    return readArray(inner.element as z.ZodType, value, path, report);
  }
  const parsed = inner.safeParse(near(inner, value));
  if (parsed.success) return parsed.data;
  report(path);
  return undefined;
}

/** Reads an object by its schema as said above. `report` hears the path of each value that could not be read. */
export function coerce(schema: z.ZodObject, value: Json, report: Report): Json {
  return readObject(schema, value, '$', report);
}
