import * as z from 'zod';
import type { Tolerant } from '../../src/contract/answer.ts';
import { isGranted, order as orderRecord } from '../../src/contract/orders.ts';
import { recordOutput } from '../../src/mcp/output/output-schemas.ts';
import { sanitizeRecord } from '../../src/mcp/output/sanitize.ts';
import { isObject, type Json } from '../../src/shared/json.ts';
import { titlesById } from '../titles.ts';

export type Order = Tolerant<z.infer<typeof orderRecord>>;

export const orderDetail = z
  .enum(['summary', 'full'])
  .describe('full adds names, billing and all other fields; summary when omitted')
  .optional();

const orderFields = {
  id: z.string(),
  created_at: z.string(),
  email: z.string(),
  name: z.string(),
  amount: z.string(),
  currency: z.string(),
  status: z.string(),
  granted: z.boolean().describe('Amount 0: access given by an admin, not a purchase'),
  bought: z.record(z.string(), z.string()).describe('"course 7": title'),
};

/** How an order stands in an answer. `bought` maps "course 7" to the title, over all kinds of products. */
export const orderRow = recordOutput(orderFields);
export const wholeOrder = orderRow.extend({ untrusted: z.record(z.string(), z.unknown()).optional() });

const kinds = { courses: 'course', bundles: 'bundle', digital_products: 'digital_product' } as const;

function isKind(name: string): name is keyof typeof kinds {
  return Object.hasOwn(kinds, name);
}

/** The products of an order in one map; a list whose records do not fit into it stays as it is, under its own key. */
function products(order: Order, whole: boolean): Json {
  const lists = Object.entries(sanitizeRecord(orderRecord, order, Object.keys(kinds)));
  let bought: Json = {};
  const others: Json = {};
  for (const [name, list] of lists) {
    const records = Array.isArray(list) ? list.filter(isObject) : [];
    const titles = isKind(name) ? titlesById(records, { prefix: `${kinds[name]} `, whole }) : undefined;
    if (titles === undefined) others[name] = list;
    else bought = { ...bought, ...titles };
  }
  return { ...(Object.keys(bought).length > 0 ? { bought } : {}), ...others };
}

const summaryFields = ['id', 'created_at', 'user_email', 'user_name', 'amount', 'currency', 'status'];
const shownApart = new Set([...summaryFields, ...Object.keys(kinds)]);

export function presentOrder(order: Order, detail: 'summary' | 'full'): Json {
  const { user_email: email, user_name: name, ...short } = sanitizeRecord(orderRecord, order, summaryFields);
  const others = detail === 'full' ? Object.keys(order).filter((field) => !shownApart.has(field)) : [];
  return {
    ...short,
    ...(email === undefined ? {} : { email }),
    ...(name === undefined ? {} : { name }),
    ...(isGranted(order.amount) ? { granted: true } : {}),
    ...products(order, detail === 'full'),
    ...sanitizeRecord(orderRecord, order, others),
  };
}
