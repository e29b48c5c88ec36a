import * as z from 'zod';
import { isGranted, order as orderRecord } from '../../src/contract/orders.ts';
import { textKinds, unwrap } from '../../src/contract/schemas/response-text.ts';
import { readProducts } from '../../src/insights/sales/products-in-order.ts';
import { academyTextKey, alteredKey, renamedAltered } from '../../src/mcp/output/fence-free-text.ts';
import { recordOutput, showing } from '../../src/mcp/output/output-schemas.ts';
import { sanitizeRecord } from '../../src/mcp/output/sanitize.ts';
import { type Json, setField } from '../../src/shared/json.ts';
import { type Order, presentProducts, productLists } from './order-products.ts';

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

/** The columns of orders, on every page. */
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
