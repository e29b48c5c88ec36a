import { isObject, type Json } from '../../shared/json.ts';
import { type ProductKind, productKinds } from './product-ref.ts';

/** The expected form of a list. */
export interface ListForm {
  /** The kind of all entries; undefined if each entry states its own. */
  readonly kind: ProductKind | undefined;
  /** Entries are order lines with ids of their own. */
  readonly hasLines: boolean;
}

/** One product of a list. */
export interface ProductEntry {
  readonly kind: ProductKind;
  readonly id: number;
  readonly title: string | undefined;
}

/** The records of a scan have the same few keys thousands of times. Unusual keys beyond this number are not stored. */
const maxStoredKeys = 1000;
const storedKeys = new Map<string, string>();

/** Makes `digital_product_id`, `digitalProductId` and `DigitalProductID` the same key. */
export function normalizeKey(key: string): string {
  const stored = storedKeys.get(key);
  if (stored !== undefined) return stored;
  const normalized = key.replace(/[^\p{L}\p{N}]/gu, '').toLowerCase();
  if (storedKeys.size < maxStoredKeys && key.length <= 64) storedKeys.set(key, normalized);
  return normalized;
}

/** Normalized type names of each kind. */
const namesOf: Readonly<Record<ProductKind, readonly string[]>> = {
  course: ['course', 'challenge'],
  bundle: ['bundle', 'offer'],
  digital_product: ['digitalproduct', 'download'],
};

const kindNames: ReadonlyMap<string, ProductKind> = new Map(
  productKinds.flatMap((kind) => namesOf[kind].map((name) => [name, kind] as const)),
);

/** The kind of a type such as "courses" or "DigitalProduct". */
export function kindFromType(type: unknown): ProductKind | undefined {
  return typeof type === 'string' ? kindNames.get(normalizeKey(type).replace(/s$/, '')) : undefined;
}

function idFrom(value: unknown): number | undefined {
  const id = typeof value === 'string' && /^\d{1,15}$/.test(value.trim()) ? Number(value) : value;
  return typeof id === 'number' && Number.isSafeInteger(id) && id > 0 ? id : undefined;
}

function textFrom(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

/** A row with one of these keys has an id of its own, which is not the id of the product. */
const rowKeys = ['orderid', 'userid', 'studentid', 'buyerid', 'enrollmentid', 'purchaseid', 'lineitemid'];

type Fields = ReadonlyMap<string, unknown>;

function fieldsOf(entry: Json): Fields {
  return new Map(Object.entries(entry).map(([key, value]) => [normalizeKey(key), value]));
}

const isGiven = (value: unknown) => value !== undefined && value !== null;

function first(fields: Fields, names: readonly string[]): unknown {
  return names.map((name) => fields.get(name)).find(isGiven);
}

/** Ignores unknown type names: a digital product may have the type "pdf". */
function kindOf(fields: Fields, expected: ProductKind | undefined): ProductKind | undefined {
  const stated = ['producttype', 'type', 'kind', 'itemtype', 'purchasabletype'].map((name) =>
    kindFromType(fields.get(name)),
  );
  const kind = stated.find((one) => one !== undefined);
  if (expected === undefined) return kind ?? kindByKey(fields);
  return kind === undefined || kind === expected ? expected : undefined;
}

/** Infers the kind from a key, as in `{course_id: 21}`. Undefined if keys of several kinds are present. */
function kindByKey(fields: Fields): ProductKind | undefined {
  const named = [...kindNames].filter(([name]) => isGiven(fields.get(`${name}id`)) || isGiven(fields.get(name)));
  const kinds = new Set(named.map(([, kind]) => kind));
  return kinds.size === 1 ? [...kinds][0] : undefined;
}

/** The id of the product itself, even if the row also has an id of its own. */
function idIn(fields: Fields, kind: ProductKind, list: ListForm): number | undefined {
  const own = namesOf[kind].map((name) => fields.get(`${name}id`)).find(isGiven);
  if (own !== undefined) return idFrom(own);
  const [id, product] = [fields.get('id'), fields.get('productid') ?? fields.get('itemid')].map(idFrom);
  // The id of a line is never the product's. In other lists it is unclear which of two different ids is.
  if (list.hasLines || list.kind === undefined) return product ?? (list.hasLines ? undefined : id);
  if (product !== undefined) return id === undefined || id === product ? product : undefined;
  return rowKeys.some((name) => fields.has(name)) ? undefined : id;
}

function titleIn(fields: Fields): string | undefined {
  const attributes = fields.get('attributes');
  const inner = isObject(attributes) ? titleIn(fieldsOf(attributes)) : undefined;
  return textFrom(fields.get('title')) ?? textFrom(fields.get('name')) ?? inner;
}

/** `{product: {product_type: "course", id: 21}}`. */
function kindOfNested(fields: Fields): ProductKind | undefined {
  const product = fields.get('product');
  return isObject(product) ? kindOf(fieldsOf(product), undefined) : undefined;
}

function recordEntry(fields: Fields, kind: ProductKind, list: ListForm): ProductEntry | undefined {
  const nested = first(fields, [...namesOf[kind], 'product']);
  if (isObject(nested)) {
    const inner = readEntry(nested, { kind, hasLines: false });
    return inner && { ...inner, title: inner.title ?? titleIn(fields) };
  }
  const id = idFrom(nested) ?? idIn(fields, kind, list);
  return id === undefined ? undefined : { kind, id, title: titleIn(fields) };
}

/**
 * Reads the product of a list entry: an id, `{id}`, `{course_id}`, `{course: {id}}`, or a row with an id of its own beside the
 * id of the product. Undefined if the product is unclear.
 */
export function readEntry(entry: unknown, list: ListForm): ProductEntry | undefined {
  if (!isObject(entry)) {
    const id = idFrom(entry);
    return id === undefined || list.kind === undefined ? undefined : { kind: list.kind, id, title: undefined };
  }
  const fields = fieldsOf(entry);
  const kind = kindOf(fields, list.kind) ?? (list.kind === undefined ? kindOfNested(fields) : undefined);
  return kind === undefined ? undefined : recordEntry(fields, kind, list);
}
