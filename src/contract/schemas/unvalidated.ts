import type * as z from 'zod';

declare const mark: unique symbol;

/** The type that the document shows. The API may send another, so a response is not relied on to have it. */
type Unvalidated<T> = T & { readonly [mark]?: never };

export type IsUnvalidated<T> = typeof mark extends keyof NonNullable<T> ? true : false;

const marked = new WeakSet<z.ZodType>();

/** Marks a response field that the client passes on as sent. The code that needs the value reads every form it may have. */
export function unvalidated<Schema extends z.ZodType>(schema: Schema): z.ZodType<Unvalidated<z.output<Schema>>> {
  marked.add(schema);
  return schema as z.ZodType<Unvalidated<z.output<Schema>>>;
}

export function isUnvalidated(schema: z.ZodType): boolean {
  return marked.has(schema);
}
