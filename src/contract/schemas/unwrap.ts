import * as z from 'zod';

/** The schema within `optional()` and `nullable()`. */
export function unwrap(schema: z.core.$ZodType): z.ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return unwrap(schema.unwrap());
  // The contract builds every schema with `z`, whose schemas are all of this class; zod's own types name its base class.
  return schema as z.ZodType;
}
