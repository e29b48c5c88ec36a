import * as z from 'zod';
import { isObject, type Json } from '../../shared/json.ts';

/** Limits that arguments rarely reach are not listed; the refusal names them. */
const farNumber = 100_000;
const farLength = 200;
/** Shorter limits belong to values with a format, such as a date or a price: the format says more than the length. */
const formLength = 40;

/** Keywords that cost tokens and do not help the model: the dialect, distant limits, keys that are strings. */
function isNoise(key: string, value: unknown): boolean {
  if (key === '$schema' || key === 'propertyNames') return true;
  if (key === 'minimum' || key === 'maximum') return Math.abs(Number(value)) >= farNumber;
  if (key === 'maxLength') return Number(value) >= farLength || Number(value) <= formLength;
  return key === 'additionalProperties' && isObject(value) && Object.keys(value).length === 0;
}

/** Moves the description of a nullable field from its first alternative to the field. */
function withDescription(schema: Json): Json {
  const [first, ...others]: unknown[] = Array.isArray(schema.anyOf) ? schema.anyOf : [];
  if (!isObject(first) || first.description === undefined || schema.description !== undefined) return schema;
  const { description, ...alternative } = first;
  return { description, ...schema, anyOf: [alternative, ...others] };
}

function slim(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(slim);
  if (!isObject(schema)) return schema;
  const kept = Object.entries(withDescription(schema)).filter(([key, value]) => !isNoise(key, value));
  return Object.fromEntries(kept.map(([key, value]) => [key, slim(value)]));
}

export interface ObjectSchema extends Json {
  type: 'object';
}

/** Converts each schema once: the schemas of tools never change, and converting them is the slowest part of creating a server. */
function convertOnce(io: 'input' | 'output') {
  const converted = new WeakMap<z.ZodObject, ObjectSchema>();
  return (schema: z.ZodObject): ObjectSchema => {
    const known = converted.get(schema);
    if (known !== undefined) return known;
    const json: ObjectSchema = { type: 'object', ...(slim(z.toJSONSchema(schema, { target: 'draft-7', io })) as Json) };
    converted.set(schema, json);
    return json;
  };
}

/** JSON Schema (draft 7) of a tool's arguments. Every call with the same schema returns the same object. */
export const inputJsonSchema = convertOnce('input');

/** JSON Schema (draft 7) of a tool's `structuredContent`. Every call with the same schema returns the same object. */
export const outputJsonSchema = convertOnce('output');
