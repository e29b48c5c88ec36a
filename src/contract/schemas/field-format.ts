import * as z from 'zod';

/** The format of a text argument whose spellings can differ and mean the same: "49.5" is "49.50", emails ignore case. */
export type FieldFormat = 'email' | 'decimal' | 'time';

const formats = z.registry<{ format: FieldFormat }>();

/** Marks a field. Schemas derived from it (`describe`, `optional`, further refinements) keep the mark. */
export function withFormat<Schema extends z.ZodType>(format: FieldFormat, schema: Schema): Schema {
  formats.add(schema, { format });
  return schema;
}

/** Undefined for a value that equals only itself, character by character. */
export function formatOf(schema: z.ZodType | undefined): FieldFormat | undefined {
  if (schema === undefined) return undefined;
  const own = formats.get(schema)?.format;
  if (own !== undefined) return own;
  return schema instanceof z.ZodOptional || schema instanceof z.ZodNullable
    ? formatOf(schema.unwrap() as z.ZodType)
    : undefined;
}
