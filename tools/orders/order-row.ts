import * as z from 'zod';
import { isGranted, order as orderRecord } from '../../src/contract/orders.ts';
import type { Tolerant } from '../../src/contract/schemas/response.ts';
import { textKinds, unwrap } from '../../src/contract/schemas/response-text.ts';
import { readProducts } from '../../src/insights/sales/products-in-order.ts';
import { academyTextKey, alteredKey, hasAltered, renamedAltered } from '../../src/mcp/output/fence-free-text.ts';
import { recordOutput, showing } from '../../src/mcp/output/output-schemas.ts';
import { sanitizeRecord } from '../../src/mcp/output/sanitize.ts';
import { isObject, type Json, setField } from '../../src/shared/json.ts';

/** Records as a map from id to title. Undefined if it would lose data: an id or title is missing or, with `whole`, there is more. */
export function titlesById(
  list: unknown,
  whole: boolean,
  keyOf: (id: unknown) => string | undefined = String,
): Json | undefined {
  if (!Array.isArray(list)) return undefined;
  const titles: Json = {};
  for (const record of list as unknown[]) {
    // The caller names altered titles.
    const { id, title, [alteredKey]: _altered, ...others } = isObject(record) ? record : {};
    const key = typeof id === 'number' || typeof id === 'string' ? keyOf(id) : undefined;
    if (key === undefined || typeof title !== 'string' || (whole && Object.keys(others).length > 0)) return undefined;
    setField(titles, key, title);
  }
  return titles;
}

export type Order = Tolerant<z.infer<typeof orderRecord>>;

const kinds = { courses: 'course', bundles: 'bundle', digital_products: 'digital_product' } as const;

const productLists = Object.keys(kinds) as (keyof typeof kinds)[];

/** The products of an order in one map. A list that cannot be read or, in full detail, has more than titles, keeps its form and key. */
function productsByRef({ products, unread }: ReturnType<typeof readProducts>, shown: Json, whole: boolean): Json {
  const titles: Json = {};
  const others: Json = {};
  for (const list of productLists) {
    const value = shown[list];
    const own = products.filter(({ kind }) => kind === kinds[list]);
    if (value === undefined && own.length === 0) continue;
    const known = new Map(own.map(({ ref, title }) => [ref, title ?? '']));
    const refOf = (id: unknown) => [...known.keys()].find((ref) => ref === `${kinds[list]} ${id}`);
    const plain = value === undefined ? undefined : titlesById(value, whole, refOf);
    const isOdd = plain === undefined && value !== undefined && (whole || unread.includes(kinds[list]));
    if (isOdd) others[list] = value;
    else Object.assign(titles, plain ?? Object.fromEntries(known));
  }
  const isRead = Object.keys(titles).length > 0;
  const isLost = unread.length > 0 && Object.keys(others).length === 0;
  const read = isRead ? { products: titles, ...others } : others;
  return isLost ? { ...read, [isRead ? 'other_products' : 'products']: 'could not be read' } : read;
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
  /** Amount 0: granted, free or a coupon; no purchase. */
  granted: z.boolean(),
  /** A map of "course 7" to its title, except in an order whose products could not be read. */
  products: z.unknown(),
};

/** An order in an answer. `products` maps "course 7" to the title, for all kinds of products. */
export const orderRow = showing(recordOutput(orderFields), orderRecord);
export const wholeOrder = showing(
  orderRow.extend({ [academyTextKey]: z.record(z.string(), z.unknown()).optional() }),
  orderRecord,
);

/** The platform may have fields with the names of ours, such as `products` with more than titles. */
const apiNames = Object.fromEntries(Object.keys(orderFields).map((name) => [name, `api_${name}`]));

const summaryFields = ['id', 'created_at', 'user_email', 'user_name', 'amount', 'currency', 'status'];
const shownFields = new Set<string>([...summaryFields, ...productLists]);

/** Free text is in the fence, products are in `products`. */
const fullFields = Object.entries(orderRecord.shape).flatMap(([name, field]) =>
  shownFields.has(name) || textKinds.get(unwrap(field))?.kind === 'block' ? [] : [name],
);

export function orderColumns(detail: 'summary' | 'full'): string[] {
  return [...Object.keys(orderFields), ...(detail === 'full' ? fullFields : [])];
}

/** `read`: the products of the order, if the caller has read them. */
export function presentOrder(order: Order, detail: 'summary' | 'full', read = readProducts(order)): Json {
  const isFull = detail === 'full';
  const { user_email: email, user_name: name, ...short } = sanitizeRecord(orderRecord, order, summaryFields);
  const lists = sanitizeRecord(orderRecord, order, productLists);
  const others = isFull ? Object.keys(order).filter((field) => !shownFields.has(field)) : [];
  const rest = sanitizeRecord(orderRecord, order, others);
  const altered = [
    ...renamedAltered(short, { user_email: 'email', user_name: 'name' }),
    ...renamedAltered(rest, apiNames),
    ...(Object.values(lists).some(hasAltered) ? ['products'] : []),
  ];
  // Not a literal with spreads, which takes ten times as long: of a long page every row counts.
  const owned = { email, name, granted: isGranted(order.amount) || undefined };
  const row: Json = Object.assign(short, owned, productsByRef(read, lists, isFull));
  for (const [field, value] of Object.entries(rest))
    setField(row, Object.hasOwn(apiNames, field) ? `api_${field}` : field, value);
  row[alteredKey] = altered.length > 0 ? altered : undefined;
  return row;
}
