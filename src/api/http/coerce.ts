import * as z from 'zod';
import { parsePercent, percentFields } from '../../contract/schemas/percent.ts';
import { isUnvalidated } from '../../contract/schemas/unvalidated.ts';
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
  // 54.6 is neither 54 nor 55: what is no whole number stays what it is, and is left out.
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

/** The name under which the document has a field: some platforms write `userEmail` or `UserEmail` for `user_email`. */
function documentedName(schema: z.ZodObject, name: string, value: Json): string {
  if (Object.hasOwn(schema.shape, name) || !/[A-Z]/.test(name)) return name;
  const plain = name.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, '_').toLowerCase();
  return Object.hasOwn(schema.shape, plain) && !Object.hasOwn(value, plain) ? plain : name;
}

/** A record as the document writes it: fields in an object of their own (JSON:API) stand beside the id. */
export function documented(schema: z.ZodObject, value: Json): Json {
  const { attributes, ...own } = value;
  const isApart = isObject(attributes) && !Object.hasOwn(schema.shape, 'attributes');
  const whole: Json = isApart ? { ...attributes, ...own } : value;
  if (!isApart && !Object.keys(whole).some((name) => /[A-Z]/.test(name))) return whole;
  const result: Json = {};
  for (const [name, field] of Object.entries(whole)) setField(result, documentedName(schema, name, whole), field);
  return result;
}

function readObject(schema: z.ZodObject, value: Json, path: string, report: Report): Json {
  const result: Json = {};
  for (const [name, field] of Object.entries(documented(schema, value))) {
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

/** A map from id to title, or to a record, where the document shows a list; undefined for any other object. */
function fromMap(item: z.ZodType, value: unknown): unknown[] | undefined {
  const hasIds = item instanceof z.ZodObject && 'id' in item.shape && 'title' in item.shape;
  if (!hasIds || !isObject(value)) return undefined;
  const pairs = Object.entries(value);
  const isPair = ([id, entry]: [string, unknown]) =>
    /^[1-9]\d{0,14}$/.test(id) && (isObject(entry) || (typeof entry === 'string' && !/^\d*$/.test(entry.trim())));
  if (!pairs.every(isPair)) return undefined;
  return pairs.map(([id, entry]) => (isObject(entry) ? { id, ...entry } : { id, title: entry }));
}

function readArray(item: z.ZodType, value: unknown[], path: string, report: Report): unknown[] {
  return value
    .map((entry, index) => {
      if (entry === null) report(`${path}.${index}`);
      return readValue(item, entry, `${path}.${index}`, report);
    })
    .filter((entry) => entry !== undefined);
}

function unwrap(schema: z.ZodType): z.ZodType {
  const isWrapper = schema instanceof z.ZodOptional || schema instanceof z.ZodNullable;
  return isWrapper ? unwrap(schema.unwrap() as z.ZodType) : schema;
}

function readValue(schema: z.ZodType, value: unknown, path: string, report: Report): unknown {
  if (value === null || value === undefined) return schema instanceof z.ZodNullable ? value : undefined;
  const inner = unwrap(schema);
  if (isUnvalidated(inner)) return value;
  const whole = fromBare(inner, value);
  if (inner instanceof z.ZodObject && isObject(whole)) return readObject(inner, whole, path, report);
  if (inner instanceof z.ZodArray) {
    const item = inner.element as z.ZodType;
    const entries = Array.isArray(value) ? value : fromMap(item, value);
    if (entries !== undefined) return readArray(item, entries, path, report);
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
