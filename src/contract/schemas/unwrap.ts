import * as z from 'zod';

const unwrapped = new WeakMap<z.core.$ZodType, z.ZodType>();

function inner(schema: z.core.$ZodType): z.ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return inner(schema.unwrap());
  // The contract builds every schema with `z`, whose schemas are all of this class; zod's own types name its base class.
  return schema as z.ZodType;
}

/** The schema within `optional()` and `nullable()`. Answers ask it for each field of each record, so it is stored. */
export function unwrap(schema: z.core.$ZodType): z.ZodType {
  const stored = unwrapped.get(schema);
  if (stored !== undefined) return stored;
  const found = inner(schema);
  unwrapped.set(schema, found);
  return found;
}
