import type * as z from 'zod';
import { order as orderRecord } from '../../src/contract/orders.ts';
import type { Tolerant } from '../../src/contract/schemas/response.ts';
import type { ListedProduct } from '../../src/insights/sales/product-ref.ts';
import type { ProductsRead } from '../../src/insights/sales/products-in-order.ts';
import { alteredKey, hasAltered } from '../../src/mcp/output/fence-free-text.ts';
import { sanitizeRecord } from '../../src/mcp/output/sanitize.ts';
import { isObject, type Json, setField } from '../../src/shared/json.ts';

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
 * A list of records as a map from id to title, which is shorter. Undefined if the map would lose data: a record has no id
 * or title, or, with `whole`, has other fields. `keyOf`: the key of an id; undefined if it may be another id.
 */
export function titlesById(
  list: unknown,
  whole: boolean,
  keyOf: (id: unknown) => string | undefined = String,
): Json | undefined {
  if (!Array.isArray(list)) return undefined;
  const titles: Json = {};
  for (const record of list as unknown[]) {
    if (!isObject(record) || !isMappable(record) || (whole && hasMore(record))) return undefined;
    const key = keyOf(record.id);
    if (key === undefined) return undefined;
    setField(titles, key, record.title);
  }
  return titles;
}

export type Order = Tolerant<z.infer<typeof orderRecord>>;

const kinds = { courses: 'course', bundles: 'bundle', digital_products: 'digital_product' } as const;
type List = keyof typeof kinds;

export const productLists = Object.keys(kinds) as List[];

const titlesOf = (products: readonly ListedProduct[]): Json =>
  Object.fromEntries(products.map(({ ref, title }) => [ref, title ?? '']));

/**
 * The products of an order in one map. A list that does not fit keeps its form and its key: in a summary, a list that
 * cannot be read; in full detail, also one that has more than titles.
 */
function productsByRef({ products, unread }: ProductsRead, shown: Json, whole: boolean): Json {
  let titles: Json | undefined;
  const others: Json = {};
  for (const list of productLists) {
    const value = shown[list];
    const own = products.filter(({ kind }) => kind === kinds[list]);
    if (own.length === 0 && value === undefined) continue;
    const isWhole = !unread.includes(kinds[list]);
    const refs = new Set(own.map(({ ref }) => ref));
    const refOf = (id: unknown) => {
      const ref = `${kinds[list]} ${id}`;
      return refs.has(ref) ? ref : undefined;
    };
    const plain = value === undefined ? {} : titlesById(value, whole, refOf);
    if (plain === undefined && (whole || !isWhole)) others[list] = value;
    else {
      const added = plain === undefined || value === undefined ? titlesOf(own) : plain;
      titles = titles === undefined ? added : Object.assign(titles, added);
    }
  }
  const isRead = titles !== undefined && Object.keys(titles).length > 0;
  const isLost = unread.length > 0 && Object.keys(others).length === 0;
  const read = isRead ? { products: titles, ...others } : others;
  return isLost ? { ...read, [isRead ? 'other_products' : 'products']: 'could not be read' } : read;
}

/** The products of an order, and whether a title of them is not shown as it is. */
export function presentProducts(order: Order, read: ProductsRead, whole: boolean) {
  const shown = sanitizeRecord(orderRecord, order, productLists);
  return { products: productsByRef(read, shown, whole), isAltered: Object.values(shown).some(hasAltered) };
}
