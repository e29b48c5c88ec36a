import * as z from 'zod';
import { isGranted, order as orderRecord } from '../../src/contract/orders.ts';
import type { Tolerant } from '../../src/contract/schemas/response.ts';
import { textKinds, unwrap } from '../../src/contract/schemas/response-text.ts';
import { type ListedProduct, type ProductsRead, readProducts } from '../../src/insights/sales/products-in-order.ts';
import { academyTextKey, alteredKey, hasAltered, renamedAltered } from '../../src/mcp/output/fence-free-text.ts';
import { recordOutput, showing } from '../../src/mcp/output/output-schemas.ts';
import { sanitizeRecord } from '../../src/mcp/output/sanitize.ts';
import { isObject, type Json, setField } from '../../src/shared/json.ts';

/** The fields of a record that a map shows. The caller names altered titles. */
const mapped = ['id', 'title', alteredKey];

function isMappable(record: Json): boolean {
  const { id, title } = record;
  return (typeof id === 'number' || typeof id === 'string') && typeof title === 'string';
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
    if (!isObject(record) || !isMappable(record) || (whole && Object.keys(record).some((key) => !mapped.includes(key))))
      return undefined;
    const key = keyOf(record.id);
    if (key === undefined) return undefined;
    setField(titles, key, record.title);
  }
  return titles;
}

export type Order = Tolerant<z.infer<typeof orderRecord>>;

const kinds = { courses: 'course', bundles: 'bundle', digital_products: 'digital_product' } as const;
type List = keyof typeof kinds;

const productLists = Object.keys(kinds) as List[];

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
function presentProducts(order: Order, read: ProductsRead, whole: boolean) {
  const shown = sanitizeRecord(orderRecord, order, productLists);
  return { products: productsByRef(read, shown, whole), isAltered: Object.values(shown).some(hasAltered) };
}

export const orderDetail = z
  .enum(['summary', 'full'])
  .describe('full adds names, billing and all other fields; summary when omitted')
  .optional();

const orderFields = {
  id: z.string(),
  created_at: z.string(),
  email: orderRecord.shape.user_email,
  name: orderRecord.shape.user_name,
  amount: z.string(),
  currency: z.string(),
  status: z.string(),
  granted: z.boolean().describe('Amount 0: granted, free or a coupon; no purchase'),
  /** A map, except in an order whose products could not be read. */
  products: z.unknown().describe('"course 7": title'),
};

/** An order in an answer. `products` maps "course 7" to the title, for all kinds of products. */
export const orderRow = showing(recordOutput(orderFields), orderRecord);
export const wholeOrder = showing(
  orderRow.extend({ [academyTextKey]: z.record(z.string(), z.unknown()).optional() }),
  orderRecord,
);

const summaryFields = ['id', 'created_at', 'user_email', 'user_name', 'amount', 'currency', 'status'];
const shownFields = new Set<string>([...summaryFields, ...productLists]);

/** Free text is in the fence, products are in `products`. */
const fullFields = Object.entries(orderRecord.shape).flatMap(([name, field]) =>
  shownFields.has(name) || textKinds.get(unwrap(field))?.kind === 'block' ? [] : [name],
);

export function orderColumns(detail: 'summary' | 'full'): string[] {
  return [...Object.keys(orderFields), ...(detail === 'full' ? fullFields : [])];
}

const renamed = { user_email: 'email', user_name: 'name' };

/** `read`: the products of the order, if the caller has read them. */
export function presentOrder(order: Order, detail: 'summary' | 'full', read = readProducts(order)): Json {
  const isFull = detail === 'full';
  const short = sanitizeRecord(orderRecord, order, summaryFields);
  const { products, isAltered } = presentProducts(order, read, isFull);
  const altered = renamedAltered(short, renamed);
  // Filled field by field: of a long page every copy counts.
  const row: Json = {};
  for (const field of Object.keys(short)) {
    if (field !== 'user_email' && field !== 'user_name') row[field] = short[field];
  }
  if (short.user_email !== undefined) row.email = short.user_email;
  if (short.user_name !== undefined) row.name = short.user_name;
  if (isGranted(order.amount)) row.granted = true;
  Object.assign(row, products);
  if (isFull) {
    const others = Object.keys(order).filter((field) => !shownFields.has(field));
    // The platform may have a field of that name, with more than titles.
    const { products: api_products, ...rest } = sanitizeRecord(orderRecord, order, others);
    if (api_products !== undefined) row.api_products = api_products;
    for (const [field, value] of Object.entries(rest)) setField(row, field, value);
    altered.push(...renamedAltered(rest, { products: 'api_products' }));
  }
  if (isAltered) altered.push('products');
  if (altered.length > 0) row[alteredKey] = altered;
  return row;
}
