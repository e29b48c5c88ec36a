import type * as z from 'zod';

declare const sent: unique symbol;

/** A value whose form the API may choose: the document shows one, and an answer is not relied on to have it. */
export type AsSent<T> = T & { readonly [sent]?: never };

/** Whether `T` is marked so. */
export type IsAsSent<T> = typeof sent extends keyof T ? true : false;

const marked = new WeakSet<z.ZodType>();

/** Keeps a field of an answer as it was sent, so that whoever needs it reads every form that it may have. */
export function asSent<Schema extends z.ZodType>(schema: Schema): z.ZodType<AsSent<z.output<Schema>>> {
  marked.add(schema);
  return schema as z.ZodType<AsSent<z.output<Schema>>>;
}

export function isAsSent(schema: z.ZodType): boolean {
  return marked.has(schema);
}
