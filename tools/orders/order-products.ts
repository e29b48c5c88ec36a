import type * as z from 'zod';
import { order as orderRecord } from '../../src/contract/orders.ts';
import type { Tolerant } from '../../src/contract/schemas/response.ts';
import type { ListedProduct } from '../../src/insights/sales/product-ref.ts';
import { readProducts } from '../../src/insights/sales/products-in-order.ts';
import { alteredKey } from '../../src/mcp/output/altered-fields.ts';
import { sanitizeRecord } from '../../src/mcp/output/sanitize.ts';
import { isObject, type Json } from '../../src/shared/json.ts';

/** The fields of a record that a map shows. The caller names altered titles. */
const mapped = ['id', 'title', alteredKey];

function isMappable(record: Json): boolean {
  const { id, title } = record;
  return (typeof id === 'number' || typeof id === 'string') && typeof title === 'string';
}

function hasMore(record: Json): boolean {
  return Object.keys(record).some((key) => !mapped.includes(key));
}

/**
 * Records as a map from id to title, which is shorter than the list. Undefined if the map would lose data: a record
 * has no id or title, or, with `whole`, has other fields.
 */
export function titlesById(records: readonly Json[], { prefix = '', whole = false } = {}): Json | undefined {
  if (!records.every(isMappable) || (whole && records.some(hasMore))) return undefined;
  return Object.fromEntries(records.map(({ id, title }) => [`${prefix}${id}`, title]));
}

export type Order = Tolerant<z.infer<typeof orderRecord>>;

const kinds = { courses: 'course', bundles: 'bundle', digital_products: 'digital_product' } as const;
type List = keyof typeof kinds;

export const productLists = Object.keys(kinds) as List[];

/** A list as a map from product to title; undefined if the map would lose data, or if an id is not the product's. */
function plainTitles(list: List, value: unknown, products: readonly ListedProduct[], whole: boolean): Json | undefined {
  if (!Array.isArray(value)) return undefined;
  const entries: unknown[] = value;
  const records = entries.filter(isObject);
  if (records.length < entries.length) return undefined;
  const refs = new Set(products.map(({ ref }) => ref));
  const isOwn = records.every(({ id }) => refs.has(`${kinds[list]} ${id}`));
  return isOwn ? titlesById(records, { prefix: `${kinds[list]} `, whole }) : undefined;
}

const titlesOf = (products: readonly ListedProduct[]): Json =>
  Object.fromEntries(products.map(({ ref, title }) => [ref, title ?? '']));

/**
 * The products of an order in one map. A list that does not fit keeps its form and its key: in a summary, a list that
 * cannot be read; in full detail, also one that has more than titles.
 */
export function productsByRef(order: Order, whole: boolean): Json {
  const { products, unread } = readProducts(order);
  const shown = new Map(Object.entries(sanitizeRecord(orderRecord, order, productLists)));
  let titles: Json = {};
  const others: Json = {};
  for (const list of productLists) {
    const own = products.filter(({ kind }) => kind === kinds[list]);
    const isWhole = !unread.includes(kinds[list]);
    const value = shown.get(list);
    const plain = value === undefined ? {} : plainTitles(list, value, own, whole);
    if (plain === undefined && (whole || !isWhole)) others[list] = value;
    else titles = { ...titles, ...(plain === undefined || value === undefined ? titlesOf(own) : plain) };
  }
  const isRead = Object.keys(titles).length > 0;
  const isLost = unread.length > 0 && Object.keys(others).length === 0;
  return {
    ...(isRead ? { products: titles } : {}),
    ...others,
    ...(isLost ? { [isRead ? 'other_products' : 'products']: 'could not be read' } : {}),
  };
}

/** Whether an order may list products that could not be read. */
export function hasUnreadProducts(order: Order): boolean {
  return readProducts(order).unread.length > 0;
}
