import { isObject, type Json } from '../../shared/json.ts';
import { kindFromType, type ListForm, normalizeKey, type ProductEntry, readEntry } from './product-list-entry.ts';
import { type ListedProduct, type ProductKind, productKinds, productRef, uniqueByRef } from './product-ref.ts';

// Reads the products of an order. The API document shows one form and leaves others open: every plausible form is read, and
// products in an unknown form never count as an empty list.

export interface ProductsRead {
  /** Each once. */
  readonly products: readonly ListedProduct[];
  /** Kinds that the order may list more of than could be read. */
  readonly unread: readonly ProductKind[];
  /** Kinds with a readable list, even an empty one. */
  readonly listed: readonly ProductKind[];
}

/** Normalized keys of lists that hold products of one kind. */
const keysOfKind: Readonly<Record<ProductKind, readonly string[]>> = {
  course: ['courses', 'challenges', 'courseids', 'challengeids'],
  bundle: ['bundles', 'offers', 'bundleids', 'offerids'],
  digital_product: ['digitalproducts', 'digitalproductids', 'downloads'],
};

/** Normalized keys of lists whose entries state their kind. `hasLines`: entries are lines with ids of their own. */
const mixedKeys: ReadonlyMap<string, { hasLines: boolean }> = new Map([
  ['products', { hasLines: false }],
  ['items', { hasLines: true }],
  ['lineitems', { hasLines: true }],
  ['orderitems', { hasLines: true }],
  ['orderproducts', { hasLines: true }],
  ['purchases', { hasLines: true }],
]);
const listKeys = new Set([...Object.values(keysOfKind).flat(), ...mixedKeys.keys()]);

/** Normalized keys that may hold products under another name. */
const suspicious =
  /course|challenge|bundle|offer|product|download|item|package|purchas|enrol|access|content|cart|sku|variant/;

const isNothing = (value: unknown) => value === undefined || value === null || value === '';

/** Keys that some formats wrap the entries of a list in. */
const wrappers = ['data', 'nodes', 'items'];

/** One entry of a map from id to title. Undefined if its key may be a position in a list instead of an id. */
function entryOfPair([id, value]: [string, unknown]): unknown {
  if (isObject(value)) return 'id' in value && String(value.id) !== id ? undefined : { ...value, id };
  const isTitle = typeof value === 'string' && !/^\d*$/.test(value.trim());
  return isTitle || value === true || value === null ? { id, title: value } : undefined;
}

/** The entries of a list in any form; undefined if the value is not a list. */
function entriesIn(value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value;
  if (!isObject(value)) return undefined;
  const wrapped = wrappers.map((key) => value[key]).find(Array.isArray);
  if (wrapped !== undefined) return wrapped;
  const pairs = Object.entries(value);
  if (!pairs.every(([key]) => /^[1-9]\d{0,14}$/.test(key))) return 'id' in value ? [value] : undefined;
  const entries = pairs.map(entryOfPair);
  // Keys that may be positions in a list must not be read as ids.
  return entries.includes(undefined) ? undefined : entries;
}

interface ListRead {
  readonly products: readonly ListedProduct[];
  readonly isWhole: boolean;
}

function listed({ kind, id, title }: ProductEntry): ListedProduct {
  return { ref: productRef(kind, id), kind, id, title };
}

function readList(value: unknown, form: ListForm): ListRead {
  const entries = entriesIn(value);
  const read = (entries ?? []).map((entry) => readEntry(entry, form));
  const products = read.flatMap((entry) => (entry === undefined ? [] : [listed(entry)]));
  return { products, isWhole: entries !== undefined && products.length === read.length };
}

/** Whether a record could be a product. Its fields may be under `attributes`, as in JSON:API. */
function isLikeProduct(value: unknown): boolean {
  if (!isObject(value)) return false;
  const names = Object.keys({ ...value, ...Object(value.attributes) });
  return names.some((name) => /title|name|product|course|bundle/i.test(name));
}

/** A field of an order that holds something, by its normalized key. */
interface Field {
  readonly name: string;
  readonly value: unknown;
}

/** Whether a field that is not a known list may hold products. */
function hasOtherProducts(fields: readonly Field[]): boolean {
  return fields.some(({ name, value }) => {
    if (listKeys.has(name)) return false;
    if (Array.isArray(value)) return value.some(isLikeProduct) || (suspicious.test(name) && value.length > 0);
    const isId = name.endsWith('id') && kindFromType(name.slice(0, -2)) !== undefined;
    return isId || name === 'productid' || (suspicious.test(name) && (isObject(value) || typeof value === 'string'));
  });
}

/** One answer reads the products of an order several times. The key is the record itself, which nobody changes. */
const readBefore = new WeakMap<Json, ProductsRead>();

/** Reads the products of an order as the API sent it. */
export function readProducts(order: Json): ProductsRead {
  const before = readBefore.get(order);
  if (before !== undefined) return before;
  const read = readFields(order);
  readBefore.set(order, read);
  return read;
}

function readFields(order: Json): ProductsRead {
  const values: Field[] = Object.entries(order)
    .filter(([, value]) => !isNothing(value))
    .map(([key, value]) => ({ name: normalizeKey(key), value }));
  const listsOf = (kind: ProductKind) => values.filter(({ name }) => keysOfKind[kind].includes(name));
  const own = productKinds.map((kind) => ({
    kind,
    lists: listsOf(kind).map(({ value }) => readList(value, { kind, hasLines: false })),
  }));
  const mixed = values.flatMap(({ name, value }) => {
    const form = mixedKeys.get(name);
    return form === undefined ? [] : [readList(value, { kind: undefined, ...form })];
  });
  const products = [...own.flatMap(({ lists }) => lists), ...mixed].flatMap((list) => list.products);
  const isListed = own.some(({ lists }) => lists.length > 0) || mixed.some((list) => list.products.length > 0);
  // Some platforms omit an empty list. A missing list is only empty if no other field can hold products.
  const isElsewhere = !isListed || mixed.some(({ isWhole }) => !isWhole) || hasOtherProducts(values);
  const unread = own.filter(({ lists }) => (lists.length === 0 ? isElsewhere : lists.some(({ isWhole }) => !isWhole)));
  return {
    products: uniqueByRef(products),
    unread: unread.map(({ kind }) => kind),
    listed: own.filter(({ lists }) => lists.length > 0).map(({ kind }) => kind),
  };
}
