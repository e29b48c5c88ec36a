import * as z from 'zod';
import { isObject } from '../../shared/json.ts';
import { atMost } from './zod-messages.ts';

// How long texts and lists may be is looked at before anything else: whatever checks, trims or searches them afterwards
// has little before it. Nothing here reads a text, and nothing beyond what the schema names is visited.

/** Characters of a text that stands for something else, such as "42" for 42, and of one whose schema has no bound. */
const maxOtherLength = 100;

/** Entries of a list whose schema has no bound. */
const maxOther = 100;

/** Levels of objects and lists within each other. No message has ten. */
export const deepest = 64;

/** SDKs and JSON.stringify call themselves at each level: what is nested too deep would end in an overflow. */
export function isTooDeep(value: unknown, levels: number = deepest): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((entry) => isTooDeep(entry, levels - 1));
}

/** The schema within optional, nullable and preprocessed ones. */
function inner(schema: unknown): unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return inner(schema.unwrap());
  if (schema instanceof z.ZodNonOptional || schema instanceof z.ZodDefault) return inner(schema.unwrap());
  return schema instanceof z.ZodPipe ? inner(schema.out) : schema;
}

/** How many characters a text may have where this schema stands. */
export function maxLengthOf(schema: unknown): number {
  const bare = inner(schema);
  if (bare instanceof z.ZodString) return bare.maxLength ?? maxOtherLength;
  return bare instanceof z.ZodUnion ? Math.max(...bare.options.map(maxLengthOf)) : maxOtherLength;
}

function maxEntries(schema: z.ZodArray): number {
  const bounds = (schema.def.checks ?? []).flatMap((check) =>
    check instanceof z.core.$ZodCheckMaxLength ? [check._zod.def.maximum] : [],
  );
  return bounds.length === 0 ? maxOther : Math.min(...bounds);
}

function problemsOfFields(schema: z.ZodObject, value: Record<string, unknown>, path: string): string[] {
  return Object.entries(schema.shape).flatMap(([name, field]) =>
    Object.hasOwn(value, name) ? tooLong(field, value[name], path === '' ? name : `${path}.${name}`) : [],
  );
}

/** What is too long in a value, each with its place and limit; empty where nothing is. */
export function tooLong(schema: unknown, value: unknown, path = ''): string[] {
  const bare = inner(schema);
  if (typeof value === 'string') {
    const longest = maxLengthOf(bare);
    return value.length > longest ? [`${path} ${atMost(longest, 'string')}`] : [];
  }
  if (bare instanceof z.ZodArray && Array.isArray(value)) {
    const most = maxEntries(bare);
    if (value.length > most) return [`${path} ${atMost(most, 'array')}`];
    return value.flatMap((entry, index) => tooLong(bare.element, entry, `${path}.${index}`));
  }
  return bare instanceof z.ZodObject && isObject(value) ? problemsOfFields(bare, value, path) : [];
}
