import * as z from 'zod';
import { isObject, type Json } from '../../shared/json.ts';
import { operations } from '../index.ts';

/** `listOrders` for `orders.listOrders`: the names are unique without their section. */
export const operationIdOf = (id: string): string => id.slice(id.indexOf('.') + 1);

/** Above this, a maximum belongs to the type of the number and says nothing about the API. */
const largestRule = 1_000_000;

/** The contract names operations as tools are named: `list_orders` for the operation `listOrders`. */
const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const operationIds = new Map(operations.map(({ id }) => [snakeCase(operationIdOf(id)), operationIdOf(id)]));

function withOperationIds(text: string): string {
  return text.replace(/\b[a-z]+(?:_[a-z]+)+\b/g, (word) => operationIds.get(word) ?? word);
}

/**
 * Keywords that are not rules of the API: zod's own marks, the lengths that this client accepts, and the limits of a number's
 * type. An answer may omit every field, so none is required.
 */
function isRule(key: string, value: unknown, io: 'input' | 'output'): boolean {
  if (key === '$schema' || key === '$id' || key === 'maxLength') return false;
  if (key === 'minimum' || key === 'maximum') return Math.abs(Number(value)) < largestRule;
  return io === 'input' || (key !== 'required' && key !== 'additionalProperties');
}

/** Zod puts the description of a nullable field on its first alternative. */
function withDescription(schema: Json): Json {
  const [first, ...others]: unknown[] = Array.isArray(schema.anyOf) ? schema.anyOf : [];
  if (!isObject(first) || first.description === undefined || schema.description !== undefined) return schema;
  const { description, ...alternative } = first;
  return { ...schema, description, anyOf: [alternative, ...others] };
}

/** The names of fields are keys, too: `properties` is passed through field by field. */
function clean(schema: unknown, io: 'input' | 'output'): unknown {
  if (Array.isArray(schema)) return schema.map((one) => clean(one, io));
  if (!isObject(schema)) return schema;
  const kept = Object.entries(withDescription(schema)).filter(([key, value]) => isRule(key, value, io));
  return Object.fromEntries(kept.map(([key, value]) => [key, cleanValue(key, value, io)]));
}

function cleanValue(key: string, value: unknown, io: 'input' | 'output'): unknown {
  if (key === 'description') return withOperationIds(String(value));
  return key === 'properties' && isObject(value) ? cleanEach(value, io) : clean(value, io);
}

function cleanEach(schemas: Json, io: 'input' | 'output'): Json {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, clean(schema, io)]));
}

/** The JSON Schema of an object that a request sends: its fields, and the names of those that it must have. */
interface SentObject extends Json {
  readonly properties: Readonly<Record<string, Json>>;
  readonly required?: readonly string[];
}

export function sentObject(fields: Record<string, z.ZodType>): SentObject {
  // `z.object` always becomes a schema with `properties`, and `required` is a list of names if there are any.
  return clean(z.toJSONSchema(z.object(fields), { io: 'input' }), 'input') as SentObject;
}

export const schemaPath = (name: string): string => `#/components/schemas/${name}`;

/** The JSON Schemas of all answers by name. A schema that contains another one of these refers to it. */
export function receivedSchemas(names: z.core.$ZodRegistry<{ id: string }>): Json {
  return cleanEach(z.toJSONSchema(names, { io: 'output', uri: schemaPath }).schemas, 'output');
}
