import * as z from 'zod';
import type { IsUnvalidated } from './response-text.ts';

/**
 * How the document shows a record: bare, or under its key. The client accepts both forms. `open`: the document does not show
 * where the fields are, so they may be beside the key.
 */
type Form = 'bare' | 'keyed' | 'open';

/** One record. The schema is `{}` if the document does not show the body. */
interface RecordResponse<
  Key extends string = string,
  Schema extends z.ZodObject = z.ZodObject,
  Shown extends Form = Form,
> {
  readonly kind: 'record';
  readonly key: Key;
  readonly form: Shown;
  readonly schema: Schema;
}

/** A list, bare or under `key`. `extra` has the fields beside the list: paging, counts. */
export interface ListResponse<
  Key extends string = string,
  Item extends z.ZodObject = z.ZodObject,
  Extra extends z.ZodObject = z.ZodObject,
> {
  readonly kind: 'list';
  readonly key: Key;
  readonly item: Item;
  readonly extra: Extra;
}

/** An object without a wrapper. */
interface ObjectResponse<Schema extends z.ZodObject = z.ZodObject> {
  readonly kind: 'object';
  readonly schema: Schema;
}

export type ResponseSchema = RecordResponse | ListResponse | ObjectResponse;

const recordsOf =
  <Shown extends Form>(form: Shown) =>
  <Key extends string, Schema extends z.ZodObject>(key: Key, schema: Schema): RecordResponse<Key, Schema, Shown> => ({
    kind: 'record',
    key,
    form,
    schema,
  });

export const bareRecord = recordsOf('bare');
export const keyedRecord = recordsOf('keyed');
export const openRecord = recordsOf('open');

const noExtra = z.object({});

export function listOf<Key extends string, Item extends z.ZodObject>(
  key: Key,
  item: Item,
): ListResponse<Key, Item, typeof noExtra>;
export function listOf<Key extends string, Item extends z.ZodObject, Extra extends z.ZodObject>(
  key: Key,
  item: Item,
  extra: Extra,
): ListResponse<Key, Item, Extra>;
export function listOf(key: string, item: z.ZodObject, extra: z.ZodObject = noExtra): ListResponse {
  return { kind: 'list', key, item, extra };
}

export function objectResponse<Schema extends z.ZodObject>(schema: Schema): ObjectResponse<Schema> {
  return { kind: 'object', schema };
}

/**
 * A response as the client reads it: any field may be missing, and the API may add others. The document leaves shapes
 * open ("not shown"), so the client relies on none. A field marked `unvalidated` may hold anything.
 */
export type Tolerant<T> =
  IsUnvalidated<T> extends true
    ? unknown
    : T extends readonly (infer Item)[]
      ? Tolerant<Item>[]
      : T extends Record<string, unknown>
        ? { [Key in keyof T]?: Tolerant<T[Key]> | undefined }
        : T;

/** Zod infers `Record<string, never>` for `{}`, which would forbid the list itself: no extra fields add no type. */
type ExtraOf<Extra extends z.ZodObject> = [keyof Extra['shape']] extends [never] ? unknown : z.infer<Extra>;

/** The exact JSON body, as the document shows it and the sandbox sends it. */
export type ResponseBody<A extends ResponseSchema> =
  A extends RecordResponse<string, infer Schema, 'open'>
    ? z.infer<Schema>
    : A extends RecordResponse<infer Key, infer Schema>
      ? z.infer<Schema> | { [K in Key]: z.infer<Schema> }
      : A extends ListResponse<infer Key, infer Item, infer Extra>
        ? { [K in Key]: z.infer<Item>[] } & ExtraOf<Extra>
        : A extends ObjectResponse<infer Schema>
          ? z.infer<Schema>
          : never;

/** The result of a client call: the record, the object, or `{ items, ...extra }`. */
export type ParsedResponse<A extends ResponseSchema> =
  A extends RecordResponse<string, infer Schema>
    ? Tolerant<z.infer<Schema>>
    : A extends ListResponse<string, infer Item, infer Extra>
      ? { items: Tolerant<z.infer<Item>>[] } & Tolerant<ExtraOf<Extra>>
      : A extends ObjectResponse<infer Schema>
        ? Tolerant<z.infer<Schema>>
        : never;
