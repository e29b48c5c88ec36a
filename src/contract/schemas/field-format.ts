import * as z from 'zod';
import type { Operation } from '../operation.ts';

/** What the text of an input field stands for, where several texts mean the same: emails ignore case, "49.5" is "49.50". */
export type Meaning = 'email' | 'decimal' | 'time';

const meanings = z.registry<{ meaning: Meaning }>();

/** Marks a field. What is derived from it (`describe`, `optional`, further refinements) keeps the mark. */
export function withMeaning<Schema extends z.ZodType>(meaning: Meaning, schema: Schema): Schema {
  meanings.add(schema, { meaning });
  return schema;
}

/** Undefined: the value means itself, letter by letter. */
export function meaningOf(schema: z.ZodType | undefined): Meaning | undefined {
  if (schema === undefined) return undefined;
  const own = meanings.get(schema)?.meaning;
  if (own !== undefined) return own;
  return schema instanceof z.ZodOptional || schema instanceof z.ZodNullable
    ? meaningOf(schema.unwrap() as z.ZodType)
    : undefined;
}

/** The schema of one argument of an operation. */
export function fieldOf({ params, query, body }: Operation, name: string): z.ZodType | undefined {
  return [params, query, body].find((fields) => Object.hasOwn(fields, name))?.[name];
}
