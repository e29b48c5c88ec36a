import * as z from 'zod';
import type { IsAsSent } from './unvalidated.ts';

/** One record, bare or under `key`. `{}` where the document does not show the body. */
export interface RecordAnswer<Key extends string = string, Schema extends z.ZodObject = z.ZodObject> {
  readonly kind: 'record';
  readonly key: Key;
  /** Whether the document shows the record under its key (the client takes both forms). */
  readonly keyed: boolean;
  readonly schema: Schema;
}

/** A list, bare or under `key`, with what stands `beside` it (paging, counts). */
export interface ListAnswer<
  Key extends string = string,
  Item extends z.ZodObject = z.ZodObject,
  Beside extends z.ZodObject = z.ZodObject,
> {
  readonly kind: 'list';
  readonly key: Key;
  readonly item: Item;
  readonly beside: Beside;
}

/** An object whose own keys are the answer. */
export interface WholeAnswer<Schema extends z.ZodObject = z.ZodObject> {
  readonly kind: 'whole';
  readonly schema: Schema;
}

export type Answer = RecordAnswer | ListAnswer | WholeAnswer;

export function bareRecord<Key extends string, Schema extends z.ZodObject>(
  key: Key,
  schema: Schema,
): RecordAnswer<Key, Schema> {
  return { kind: 'record', key, keyed: false, schema };
}

export function keyedRecord<Key extends string, Schema extends z.ZodObject>(
  key: Key,
  schema: Schema,
): RecordAnswer<Key, Schema> {
  return { kind: 'record', key, keyed: true, schema };
}

const nothingBeside = z.object({});

export function listOf<Key extends string, Item extends z.ZodObject>(
  key: Key,
  item: Item,
): ListAnswer<Key, Item, typeof nothingBeside>;
export function listOf<Key extends string, Item extends z.ZodObject, Beside extends z.ZodObject>(
  key: Key,
  item: Item,
  beside: Beside,
): ListAnswer<Key, Item, Beside>;
export function listOf(key: string, item: z.ZodObject, beside: z.ZodObject = nothingBeside): ListAnswer {
  return { kind: 'list', key, item, beside };
}

export function whole<Schema extends z.ZodObject>(schema: Schema): WholeAnswer<Schema> {
  return { kind: 'whole', schema };
}

/**
 * What the API really sends for `T`: any field may be missing, and others may stand beside.
 * The document leaves shapes open ("not shown"), so nothing is relied on. What is marked `asSent` may be anything.
 */
export type Tolerant<T> =
  IsAsSent<T> extends true
    ? unknown
    : T extends readonly (infer Item)[]
      ? Tolerant<Item>[]
      : T extends Record<string, unknown>
        ? { [Key in keyof T]?: Tolerant<T[Key]> | undefined }
        : T;

/** A list with nothing beside it adds nothing to the type: zod infers `Record<string, never>` for `{}`, which forbids the list. */
type BesideOf<Beside extends z.ZodObject> = [keyof Beside['shape']] extends [never] ? unknown : z.infer<Beside>;

/** The exact JSON body of an answer, as the document shows it (what the sandbox sends). */
export type ExactBody<A extends Answer> =
  A extends RecordAnswer<infer Key, infer Schema>
    ? z.infer<Schema> | { [K in Key]: z.infer<Schema> }
    : A extends ListAnswer<infer Key, infer Item, infer Beside>
      ? { [K in Key]: z.infer<Item>[] } & BesideOf<Beside>
      : A extends WholeAnswer<infer Schema>
        ? z.infer<Schema>
        : never;

/** What the client hands out: the record, the whole object, or `{ items, ...beside }`. */
export type ParsedAnswer<A extends Answer> =
  A extends RecordAnswer<string, infer Schema>
    ? Tolerant<z.infer<Schema>>
    : A extends ListAnswer<string, infer Item, infer Beside>
      ? { items: Tolerant<z.infer<Item>>[] } & Tolerant<BesideOf<Beside>>
      : A extends WholeAnswer<infer Schema>
        ? Tolerant<z.infer<Schema>>
        : never;
