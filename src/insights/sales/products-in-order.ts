import { isObject, type Json } from '../../shared/json.ts';

/** Kinds of products on an order. A challenge is a course; an offer of the API is a bundle. */
export const productKinds = ['course', 'bundle', 'digital_product'] as const;
export type ProductKind = (typeof productKinds)[number];

export interface ListedProduct {
  /** `course 7`: an id is unique only within its kind. */
  readonly ref: string;
  readonly kind: ProductKind;
  readonly id: number;
  readonly title: string | undefined;
}

export interface KnownProduct extends ListedProduct {
  /** The type in the API's unified products: "challenge" for a challenge, whose `kind` is course. By default the kind. */
  readonly type?: string | undefined;
}

/** A product that can be bought. */
export interface Product extends KnownProduct {
  readonly type: string;
  readonly slug: string | undefined;
}

export function productRef(kind: ProductKind, id: number): string {
  return `${kind} ${id}`;
}

export function untitled<Kind extends ProductKind>(kind: Kind, id: number) {
  return { ref: productRef(kind, id), kind, id, title: undefined };
}

/** Each product once, at its first position; the last entry wins. */
export function uniqueByRef<Item extends { readonly ref: string }>(products: readonly Item[]): Item[] {
  if (products.length < 2) return [...products];
  return [...new Map(products.map((product) => [product.ref, product])).values()];
}

// Reads the products of an order, in the forms that docs/internals/api-assumptions.md names. Any other form is unreadable: it never
// counts as an empty list.

/** The key of the list of a kind: "courses". */
const listKey = (kind: ProductKind) => `${kind}s`;

export function idOf(value: unknown): number | undefined {
  const id = typeof value === 'string' && /^\d{1,15}$/.test(value.trim()) ? Number(value) : value;
  return typeof id === 'number' && Number.isSafeInteger(id) && id > 0 ? id : undefined;
}

/** With one of these keys an entry is a row, whose `id` may be its own instead of the product's. */
const rowKey =
  /^(order|user|student|buyer|course|challenge|bundle|offer|(digital|order)?_?product|(line|order)?_?item|enrol?lment|purchase)_?(id)?$/i;

const kindWords: Readonly<Record<ProductKind, RegExp>> = {
  course: /course|challenge/i,
  bundle: /bundle|offer/i,
  digital_product: /digital|download/i,
};

function isOfAnotherKind({ type, product_type = type }: Json, kind: ProductKind): boolean {
  if (product_type === undefined) return false;
  const isNamed = (one: ProductKind) => kindWords[one].test(String(product_type));
  return !isNamed(kind) && productKinds.some(isNamed);
}

function product(kind: ProductKind, value: unknown, title?: unknown): ListedProduct | undefined {
  const id = idOf(value);
  if (id === undefined) return undefined;
  const isTitle = typeof title === 'string' && title.trim() !== '';
  return { ref: productRef(kind, id), kind, id, title: isTitle ? title : undefined };
}

/** The entry in its documented form: `{id, title}`. */
function shownEntry(entry: unknown, kind: ProductKind): ListedProduct | undefined {
  if (!isObject(entry) || isOfAnotherKind(entry, kind) || Object.keys(entry).some((key) => rowKey.test(key)))
    return undefined;
  return product(kind, entry.id, entry.title);
}

/** An entry that the document does not show: `{id}` with a title or name, a bare id, or `{bundle_id}` by its kind. */
function openEntry(entry: unknown, kind: ProductKind): ListedProduct | undefined {
  if (!isObject(entry)) return product(kind, entry);
  const { [`${kind}_id`]: own, title = entry.name } = entry;
  return own === undefined || own === null ? shownEntry({ ...entry, title }, kind) : product(kind, own, title);
}

export interface ListRead {
  readonly products: readonly ListedProduct[];
  /** Every entry was read. */
  readonly isWhole: boolean;
}

/** Undefined if there is no list. `isShown`: the document shows the form of its entries. */
export function readProductList(value: unknown, kind: ProductKind, isShown = kind === 'course'): ListRead | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  if (!Array.isArray(value)) return { products: [], isWhole: false };
  const read = isShown ? shownEntry : openEntry;
  const products = value.flatMap((entry: unknown) => read(entry, kind) ?? []);
  return { products, isWhole: products.length === value.length };
}

const lists = new Set(productKinds.map(listKey));
const mayHoldProducts =
  /course|challenge|bundle|offer|product|download|item|package|purchas|enrol|access|content|cart|sku|data/i;

const isFilled = (value: unknown) =>
  typeof value === 'object' && value !== null
    ? Object.keys(value).length > 0
    : typeof value === 'string' || typeof value === 'number';

function mayListElsewhere(order: Json): boolean {
  return Object.entries(order).some(
    ([key, value]) => !lists.has(key) && mayHoldProducts.test(key) && value !== '' && isFilled(value),
  );
}

/** `unread`: kinds that the order may list more of than could be read. `listed`: kinds with a list, even an empty one. */
export function readProducts(order: Json) {
  const lists = productKinds.map((kind) => readProductList(order[listKey(kind)], kind));
  const listed = productKinds.filter((_kind, index) => lists[index] !== undefined);
  const products = lists.flatMap((list) => list?.products ?? []);
  // Some platforms omit an empty list. It is only empty if another one is there and no other field can hold products.
  const isElsewhere = () => listed.length === 0 || mayListElsewhere(order);
  const unread = productKinds.filter((_kind, index) => {
    const list = lists[index];
    return list?.isWhole === false || ((list === undefined || products.length === 0) && isElsewhere());
  });
  return { products: uniqueByRef(products), unread, listed };
}
