import * as z from 'zod';

/**
 * How tools/list shows an argument, if not in full. `bare`: without description, since its name says all, or the server's
 * instructions describe it once for all tools. `shapeless`: without the shape of its parts, since another tool lists it. The documents show both
 * in full, and the server checks both in full.
 */
export type ListedForm = 'bare' | 'shapeless';

/** A registry instead of `.meta()` keeps it out of JSON Schemas. */
export const listedForms = z.registry<{ readonly form: ListedForm }>();

/** An argument that its name or the instructions describe. Mark the schema within `optional()`. */
export function describedOnce<Schema extends z.ZodType>(schema: Schema): Schema {
  listedForms.add(schema, { form: 'bare' });
  return schema;
}

/** The same argument in a tool that need not list its shape again. */
export function shapedElsewhere<Schema extends z.ZodType>(schema: Schema): Schema {
  const copy = schema.clone();
  listedForms.add(copy, { form: 'shapeless' });
  return copy;
}
