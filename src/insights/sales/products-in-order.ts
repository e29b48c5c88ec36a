import { type Entry, entryOf, kindNamed, type ListForm, plainKey } from './product-list-entry.ts';
import { type ListedProduct, type ProductKind, productKinds, productRef } from './product-ref.ts';

// Which products an order lists. The document shows one form, and leaves the others open: every plausible one is read, and what
// is in none of them is never taken for an empty list.

type Json = Readonly<Record<string, unknown>>;

export interface ProductsRead {
  /** Each once. */
  readonly products: readonly ListedProduct[];
  /** Kinds of which the order may list more than was read. */
  readonly unread: readonly ProductKind[];
  /** Kinds that the order has a readable list of, be it empty. */
  readonly listed: readonly ProductKind[];
}

/** Keys of lists that hold products of one kind, without underscores and in small letters. */
const keysOfKind: Readonly<Record<ProductKind, readonly string[]>> = {
  course: ['courses', 'challenges', 'courseids', 'challengeids'],
  bundle: ['bundles', 'offers', 'bundleids', 'offerids'],
  digital_product: ['digitalproducts', 'digitalproductids', 'downloads'],
};

/** Keys of lists whose entries say what they are, and whether these are lines with ids of their own. */
const mixedKeys: ReadonlyMap<string, { hasLines: boolean }> = new Map([
  ['products', { hasLines: false }],
  ['items', { hasLines: true }],
  ['lineitems', { hasLines: true }],
  ['orderitems', { hasLines: true }],
  ['orderproducts', { hasLines: true }],
  ['purchases', { hasLines: true }],
]);
const listKeys = new Set([...Object.values(keysOfKind).flat(), ...mixedKeys.keys()]);

/** What may hold products under another name. */
const suspicious =
  /course|challenge|bundle|offer|product|download|item|package|purchas|enrol|access|content|cart|sku|variant/;

const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isNothing = (value: unknown) => value === undefined || value === null || value === '';

/** Keys under which some formats put the entries of a list. */
const wrappers = ['data', 'nodes', 'items'];

/** What a map from id to title holds under one id: an entry that is no record cannot be told from one under its place in a list. */
function entryOfPair([id, value]: [string, unknown]): unknown {
  if (isRecord(value)) return 'id' in value && String(value.id) !== id ? undefined : { ...value, id };
  const isTitle = typeof value === 'string' && !/^\d*$/.test(value.trim());
  return isTitle || value === true || value === null ? { id, title: value } : undefined;
}

/** The entries of what stands in the place of a list; undefined where it is no list. */
function entriesIn(value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value;
  if (!isRecord(value)) return undefined;
  const wrapped = wrappers.map((key) => value[key]).find(Array.isArray);
  if (wrapped !== undefined) return wrapped;
  const pairs = Object.entries(value);
  if (!pairs.every(([key]) => /^[1-9]\d{0,14}$/.test(key))) return 'id' in value ? [value] : undefined;
  const entries = pairs.map(entryOfPair);
  // Keys that are places in a list would be taken for ids.
  return entries.includes(undefined) ? undefined : entries;
}

interface ListRead {
  readonly products: readonly ListedProduct[];
  readonly isWhole: boolean;
}

function listed({ kind, id, title }: Entry): ListedProduct {
  return { ref: productRef(kind, id), kind, id, title };
}

function readList(value: unknown, form: ListForm): ListRead {
  const entries = entriesIn(value);
  const read = (entries ?? []).map((entry) => entryOf(entry, form));
  const products = read.flatMap((entry) => (entry === undefined ? [] : [listed(entry)]));
  return { products, isWhole: entries !== undefined && products.length === read.length };
}

/** A record that could be a product, also one with its fields under `attributes` as in JSON:API. */
function isLikeProduct(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const names = Object.keys({ ...value, ...Object(value.attributes) });
  return names.some((name) => /title|name|product|course|bundle/i.test(name));
}

/** Fields that may hold products and are none of the lists known by name. */
function hasOtherProducts(order: Json): boolean {
  return Object.entries(order).some(([key, value]) => {
    const name = plainKey(key);
    if (listKeys.has(name) || isNothing(value)) return false;
    if (Array.isArray(value)) return value.some(isLikeProduct) || (suspicious.test(name) && value.length > 0);
    const isId = name.endsWith('id') && kindNamed(name.slice(0, -2)) !== undefined;
    return isId || name === 'productid' || (suspicious.test(name) && (isRecord(value) || typeof value === 'string'));
  });
}

/** Reads the products of an order as it was sent. */
export function readProducts(order: Json): ProductsRead {
  const values = Object.entries(order)
    .filter(([, value]) => !isNothing(value))
    .map(([key, value]) => ({ name: plainKey(key), value }));
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
  // Some platforms leave out a list that would be empty. Where products may stand elsewhere, or nowhere, nothing is known of it.
  const isElsewhere = !isListed || mixed.some(({ isWhole }) => !isWhole) || hasOtherProducts(order);
  const unread = own.filter(({ lists }) => (lists.length === 0 ? isElsewhere : lists.some(({ isWhole }) => !isWhole)));
  return {
    products: [...new Map(products.map((product) => [product.ref, product])).values()],
    unread: unread.map(({ kind }) => kind),
    listed: own.filter(({ lists }) => lists.length > 0).map(({ kind }) => kind),
  };
}
