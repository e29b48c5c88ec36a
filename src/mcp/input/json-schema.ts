import * as z from 'zod';
import { listedForms } from '../../contract/schemas/input-fields.ts';
import { isObject, type Json } from '../../shared/json.ts';

// Every conversation pays for tools/list before its first question. It leaves out what no caller needs to choose and fill
// in a tool; the server enforces all of it, and a refusal names the rule.

export interface ObjectSchema extends Json {
  type: 'object';
}

type IsLeftOut = (key: string, value: unknown) => boolean;

/** Limits that arguments rarely reach are not listed; the refusal names them. */
const farNumber = 100_000;
const farLength = 200;
/** Shorter limits belong to values with a format, such as a date or a price: the format says more than the length. */
const formLength = 40;

/** Keywords that tell a model nothing: the dialect, very large limits, keys that are strings. */
const isNoise: IsLeftOut = (key, value) => {
  if (key === '$schema' || key === 'propertyNames') return true;
  if (key === 'minimum' || key === 'maximum') return Math.abs(Number(value)) >= farNumber;
  if (key === 'maxLength') return Number(value) >= farLength || Number(value) <= formLength;
  return key === 'additionalProperties' && isObject(value) && Object.keys(value).length === 0;
};

/** Larger numbers are limits of the platform rather than choices. */
const minFarNumber = 499;
const farEntries = 100;

const isEnforced: IsLeftOut = (key, value) => {
  if (isNoise(key, value)) return true;
  if (['minimum', 'minLength', 'minItems'].includes(key)) return value === 0 || value === 1;
  if (key === 'maximum') return Number(value) > minFarNumber;
  if (key === 'maxItems') return Number(value) > farEntries;
  return key === 'additionalProperties' ? value === false : key === 'maxLength' && typeof value === 'number';
};

/** Of an answer, the list has names and types. The answers explain themselves in words. */
const isExplained: IsLeftOut = (key, value) => {
  if (key === 'description') return typeof value === 'string';
  return isNoise(key, value) || (key === 'properties' && isObject(value) && Object.keys(value).length === 0);
};

/** Moves the description of a nullable field from its first alternative to the field. */
function withDescription(schema: Json): Json {
  const [first, ...others]: unknown[] = Array.isArray(schema.anyOf) ? schema.anyOf : [];
  if (!isObject(first) || first.description === undefined || schema.description !== undefined) return schema;
  const { description, ...alternative } = first;
  return { description, ...schema, anyOf: [alternative, ...others] };
}

function without(isLeftOut: IsLeftOut, schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map((entry) => without(isLeftOut, entry));
  if (!isObject(schema)) return schema;
  const kept = Object.entries(withDescription(schema)).filter(([key, value]) => !isLeftOut(key, value));
  return Object.fromEntries(kept.map(([key, value]) => [key, without(isLeftOut, value)]));
}

/** Values that mean the same as another one of their enum. Accepted, but not listed. */
const synonyms: Readonly<Record<string, string>> = { offer: 'bundle' };

/** Applies the form of an argument in tools/list, for `override` of `z.toJSONSchema`. */
function applyListedForm({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodType; jsonSchema: Json }): void {
  const { form } = listedForms.get(zodSchema as z.ZodType) ?? {};
  const { type, enum: values } = jsonSchema;
  if (form === 'bare') delete jsonSchema.description;
  if (Array.isArray(values)) jsonSchema.enum = values.filter((value) => !values.includes(synonyms[value]));
  if (form !== 'shapeless') return;
  for (const key of Object.keys(jsonSchema)) delete jsonSchema[key];
  // Clients refuse a list without `items`.
  Object.assign(jsonSchema, { type }, type === 'array' ? { items: { type: 'object' } } : {});
}

function converted(schema: z.ZodObject, isLeftOut: IsLeftOut, options: z.core.ToJSONSchemaParams): ObjectSchema {
  const json = without(isLeftOut, z.toJSONSchema(schema, { target: 'draft-7', ...options })) as Json;
  return { type: 'object', ...json };
}

/** JSON Schema (draft 7) of a tool's arguments, as tools/list shows it. */
export function inputJsonSchema(schema: z.ZodObject): ObjectSchema {
  return converted(schema, isEnforced, { io: 'input', override: applyListedForm });
}

/** JSON Schema (draft 7) of a tool's `structuredContent`, as tools/list shows it. */
export function outputJsonSchema(schema: z.ZodObject): ObjectSchema {
  return converted(schema, isExplained, { io: 'output' });
}

/** JSON Schema (draft 7) of a tool's arguments in full, for the documents. */
export function documentedInput(schema: z.ZodObject): ObjectSchema {
  return converted(schema, isNoise, { io: 'input' });
}
