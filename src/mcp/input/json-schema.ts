import * as z from 'zod';
import { type ListedForm, listedForms } from '../../contract/schemas/input-fields.ts';
import { isObject, type Json } from '../../shared/json.ts';

// Every conversation pays for tools/list before its first question. It leaves out what no caller needs to choose and fill
// in a tool; the server enforces all of it, and a refusal names the rule.

/** Larger numbers are limits of the platform rather than choices. */
const minFarNumber = 499;
const farEntries = 100;

/** Values that mean the same as another one of their enum. Accepted, but not listed. */
const synonyms: Readonly<Record<string, string>> = { offer: 'bundle' };

function isEnforced(key: string, value: unknown): boolean {
  switch (key) {
    case 'additionalProperties':
      return value === false;
    case 'minimum':
    case 'minLength':
    case 'minItems':
      return value === 0 || value === 1;
    case 'maximum':
      return Number(value) > minFarNumber;
    case 'maxItems':
      return Number(value) > farEntries;
    default:
      return key === 'maxLength' && typeof value === 'number';
  }
}

function withoutSynonyms(values: readonly unknown[]): unknown[] {
  return values.filter((value) => typeof value !== 'string' || !values.includes(synonyms[value]));
}

/** JSON Schema of arguments as tools/list shows it. */
function listedInput(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(listedInput);
  if (!isObject(schema)) return schema;
  const kept = Object.entries(schema).filter(([key, value]) => !isEnforced(key, value));
  return Object.fromEntries(
    kept.map(([key, value]) => [
      key,
      key === 'enum' && Array.isArray(value) ? withoutSynonyms(value) : listedInput(value),
    ]),
  );
}

/** JSON Schema of an answer as tools/list shows it: names and types. The answers explain themselves in words. */
function listedOutput(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(listedOutput);
  if (!isObject(schema)) return schema;
  const kept = Object.entries(schema).filter(([key, value]) => {
    if (key === 'description') return typeof value !== 'string';
    return key !== 'properties' || !isObject(value) || Object.keys(value).length > 0;
  });
  return Object.fromEntries(kept.map(([key, value]) => [key, listedOutput(value)]));
}

/** Clients refuse a list without `items`. */
const shapeless: Readonly<Record<string, Json>> = { array: { type: 'array', items: { type: 'object' } } };

const shorten: Readonly<Record<ListedForm, (schema: Json) => Json>> = {
  bare: ({ description: _description, ...rest }) => rest,
  shapeless: ({ type }) => shapeless[String(type)] ?? { type },
};

/** Applies the form of a schema in tools/list, for `override` of `z.toJSONSchema`. */
function applyListedForm({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodType; jsonSchema: Json }): void {
  const { form } = listedForms.get(zodSchema as z.ZodType) ?? {};
  if (form === undefined) return;
  const short = shorten[form]({ ...jsonSchema });
  for (const key of Object.keys(jsonSchema)) delete jsonSchema[key];
  Object.assign(jsonSchema, short);
}

/** Limits that arguments rarely reach are not listed; the refusal names them. */
const farNumber = 100_000;
const farLength = 200;
/** Shorter limits belong to values with a format, such as a date or a price: the format says more than the length. */
const formLength = 40;

type IsNoise = (key: string, value: unknown) => boolean;

/** Keywords that tell a model nothing: the dialect, very large limits, keys that are strings. */
const isNoise: IsNoise = (key, value) => {
  if (key === '$schema' || key === 'propertyNames') return true;
  if (key === 'minimum' || key === 'maximum') return Math.abs(Number(value)) >= farNumber;
  if (key === 'maxLength') return Number(value) >= farLength || Number(value) <= formLength;
  return key === 'additionalProperties' && isObject(value) && Object.keys(value).length === 0;
};

/** Moves the description of a nullable field from its first alternative to the field. */
function withDescription(schema: Json): Json {
  const [first, ...others]: unknown[] = Array.isArray(schema.anyOf) ? schema.anyOf : [];
  if (!isObject(first) || first.description === undefined || schema.description !== undefined) return schema;
  const { description, ...alternative } = first;
  return { description, ...schema, anyOf: [alternative, ...others] };
}

function without(isLeftOut: IsNoise, schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map((entry) => without(isLeftOut, entry));
  if (!isObject(schema)) return schema;
  const kept = Object.entries(withDescription(schema)).filter(([key, value]) => !isLeftOut(key, value));
  return Object.fromEntries(kept.map(([key, value]) => [key, without(isLeftOut, value)]));
}

export interface ObjectSchema extends Json {
  type: 'object';
}

interface Purpose {
  readonly io: 'input' | 'output';
  readonly override?: (field: { zodSchema: z.core.$ZodType; jsonSchema: Json }) => void;
  readonly shorten?: (schema: unknown) => unknown;
}

/** Converts each schema once: the schemas of tools never change, and converting them is the slowest part of creating a server. */
function convertOnce({ io, override, shorten = (schema) => schema }: Purpose) {
  const converted = new WeakMap<z.ZodObject, ObjectSchema>();
  const options = { target: 'draft-7', io, ...(override === undefined ? {} : { override }) } as const;
  return (schema: z.ZodObject): ObjectSchema => {
    const known = converted.get(schema);
    if (known !== undefined) return known;
    const json = shorten(without(isNoise, z.toJSONSchema(schema, options))) as Json;
    const typed: ObjectSchema = { type: 'object', ...json };
    converted.set(schema, typed);
    return typed;
  };
}

/** JSON Schema (draft 7) of a tool's arguments, as tools/list shows it. Every call with the same schema returns the same object. */
export const inputJsonSchema = convertOnce({ io: 'input', override: applyListedForm, shorten: listedInput });

/** JSON Schema (draft 7) of a tool's `structuredContent`, as tools/list shows it. Every call with the same schema returns the same object. */
export const outputJsonSchema = convertOnce({ io: 'output', shorten: listedOutput });

/** The same of the arguments, in full, for the documents. */
export const documentedInput = convertOnce({ io: 'input' });
