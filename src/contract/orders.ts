import * as z from 'zod';
import { defineOperation } from './operation.ts';
import { parseDecimal } from './schemas/decimal.ts';
import { dateOrTime, describedOnce, email, integer, pageNumber, publicOrderId } from './schemas/input-fields.ts';
import { bareRecord, listOf } from './schemas/response.ts';
import { block, code, line, memberLine, unvalidated } from './schemas/response-text.ts';

// API document: "Order", "States and transitions", "Endpoints / Orders".

export const orderStatuses = ['pending', 'failed', 'paid', 'wallet_executed'] as const;
export type OrderStatus = (typeof orderStatuses)[number];

/**
 * True for amount 0 in any spelling ("0", "0.00"), in any status: granted, free or paid with a coupon. The API does
 * not show which, so it is not counted as a purchase. API document: "States and transitions".
 */
export function isGranted(amount: string | undefined): boolean {
  return parseDecimal(amount)?.units === 0n;
}

const boughtItem = z.object({ id: z.int(), title: line('Product title') });

export const order = z.object({
  id: code('The public order id'),
  amount: code('Decimal amount; 0 means granted, free or a coupon'),
  currency: code(),
  description: block('Order description'),
  user_email: memberLine('Email of the buyer'),
  user_name: memberLine('Name of the buyer'),
  user_first_name: memberLine('First name'),
  user_last_name: memberLine('Last name'),
  status: code('pending, failed, paid or wallet_executed'),
  affiliate_id: z.union([z.int(), code()]).nullable(),
  courses: unvalidated(z.array(boughtItem)),
  /** The document does not show entries of the next two lists: src/insights/sales/products-in-order.ts reads their forms. */
  digital_products: unvalidated(z.array(boughtItem)),
  bundles: unvalidated(z.array(boughtItem)),
  billing_city: memberLine('City'),
  billing_state: memberLine('State'),
  billing_country: memberLine('Country'),
  billing_street: memberLine('Street'),
  billing_zip: memberLine('Postal code'),
  billing_company: memberLine('Company').nullable(),
  billing_phone: memberLine('Phone').nullable(),
  created_at: code(),
  updated_at: code(),
});

const ordersMeta = z.object({
  meta: z.object({ total_pages: z.int(), total_orders: z.int(), current_page: z.int(), per_page: z.int() }),
});

export const listOrders = defineOperation({
  id: 'orders.listOrders',
  method: 'GET',
  path: '/api/v1/orders',
  summary: 'Orders by status, buyer and time. Without page the API sends all of them.',
  effect: 'read',
  repeat: 'safe',
  capability: 'read_orders',
  query: {
    status: z
      .enum([...orderStatuses, 'all'])
      .describe('default paid; wallet_executed: paid from the wallet; all: every status')
      .optional(),
    user_email: email('Only orders of exactly this email').optional(),
    created_after: describedOnce(dateOrTime('ISO 8601 date or time; only orders created from then on')).optional(),
    created_before: describedOnce(dateOrTime('ISO 8601 date or time; only orders created before')).optional(),
    page: pageNumber(),
    per_page: integer(1, 100, 'Orders per page; default 25').optional(),
  },
  response: listOf('orders', order, ordersMeta),
});

export const getOrder = defineOperation({
  id: 'orders.getOrder',
  method: 'GET',
  path: '/api/v1/orders/:order_id',
  summary: 'One order.',
  effect: 'read',
  repeat: 'safe',
  capability: 'read_orders',
  params: { order_id: describedOnce(publicOrderId('Order id, from list_orders')) },
  response: bareRecord('order', order),
});
