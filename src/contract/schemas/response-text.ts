import * as z from 'zod';

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

/** The schema within `optional()` and `nullable()`. */
export function unwrap(schema: z.core.$ZodType): z.ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return unwrap(schema.unwrap());
  // The contract builds every schema with `z`, whose schemas are all of this class; zod's own types name its base class.
  return schema as z.ZodType;
}

/**
 * The kind of a response string. `line`: a name or title, shown on one line of at most 200 characters. `block`: free text,
 * shown fenced. `code`: made by the platform, such as a timestamp, status, slug or URL. `by` says who may have typed it, or what it was made of:
 * members are not trusted, admins are.
 */
export interface TextKind {
  readonly kind: 'line' | 'block' | 'code';
  readonly by: 'platform' | 'admin' | 'member';
}

/**
 * Every string of a response is registered here; a test fails for one that is not. A registry instead of `.meta()` keeps
 * it out of JSON Schemas.
 */
export const textKinds = z.registry<TextKind>();

function text(entry: TextKind, description?: string): z.ZodString {
  const plain = z.string();
  return (description === undefined ? plain : plain.describe(description)).register(textKinds, entry);
}

/** A string that the platform makes: it cannot carry a person's own sentence. */
export const code = (description?: string) => text({ kind: 'code', by: 'platform' }, description);

/** An address or slug that the platform makes of what a member typed: words of theirs are in it. */
export const memberCode = (description?: string) => text({ kind: 'code', by: 'member' }, description);

/** A name or title typed by an admin. */
export const line = (description: string) => text({ kind: 'line', by: 'admin' }, description);

/** Free text by an admin, such as a description. */
export const block = (description: string) => text({ kind: 'block', by: 'admin' }, description);

/** A name, address or title typed by a member. */
export const memberLine = (description: string) => text({ kind: 'line', by: 'member' }, description);

/** Free text by a member: a post, an answer. */
export const memberBlock = (description: string) => text({ kind: 'block', by: 'member' }, description);

/** What the readers of answers ask of a response schema for every value of every record. */
export interface ResponseField {
  /** Within `optional()` and `nullable()`. */
  readonly schema: z.ZodType;
  readonly isNullable: boolean;
  readonly isUnvalidated: boolean;
  readonly text: TextKind | undefined;
  /** Whether any string is valid. */
  readonly isAnyString: boolean;
  /** Of a list. */
  readonly item: ResponseField | undefined;
  /** Of an object. */
  readonly fields: ReadonlyMap<string, ResponseField> | undefined;
}

const known = new WeakMap<z.core.$ZodType, ResponseField>();

function readField(schema: z.core.$ZodType): ResponseField {
  const inner = unwrap(schema);
  const text = textKinds.get(inner);
  return {
    schema: inner,
    isNullable: inner !== schema && (schema as z.ZodType).safeParse(null).success,
    isUnvalidated: marked.has(inner),
    text,
    isAnyString: text !== undefined && (inner.def.checks ?? []).length === 0,
    item: inner instanceof z.ZodArray ? fieldOf(inner.element) : undefined,
    fields: inner instanceof z.ZodObject ? fieldsOf(inner) : undefined,
  };
}

const fieldsOf = (schema: z.ZodObject) =>
  new Map(Object.entries(schema.shape).map(([name, field]) => [name, fieldOf(field)]));

/** Found once: zod computes each of these at every question. */
export function fieldOf(schema: z.core.$ZodType): ResponseField {
  const field = known.get(schema) ?? readField(schema);
  known.set(schema, field);
  return field;
}
