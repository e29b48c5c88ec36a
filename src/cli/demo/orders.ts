import * as z from 'zod';
import type { Stage } from './stage.ts';
import { isoSeconds, isWithin, type Period } from './week.ts';

const orderRow = z.object({
  id: z.string(),
  created_at: z.string(),
  email: z.string(),
  name: z.string(),
  amount: z.string(),
  currency: z.string(),
  granted: z.boolean().default(false),
  /** "course 7" to its title, over all kinds of products. */
  bought: z.record(z.string(), z.string()).default({}),
});

/** An order as list_orders shows it. */
export type OrderRow = z.output<typeof orderRow>;

export const orderPage = z.object({ orders: z.array(orderRow).default([]), next_page: z.int().optional() });

/** A purchase has one of two statuses, and the API lists one status at a time (or all, the failed ones too). */
const paidStatuses = ['paid', 'wallet_executed'];

async function readPages(stage: Stage, filter: Record<string, unknown>, page = 1): Promise<OrderRow[]> {
  const { orders, next_page: next } = await stage.read(orderPage, 'list_orders', { ...filter, page, per_page: 100 });
  return next === undefined ? orders : [...orders, ...(await readPages(stage, filter, next))];
}

/** Every paid order of a period, the granted ones too, oldest first. One request for each hundred orders of a status. */
export async function readOrders(stage: Stage, period: Period): Promise<OrderRow[]> {
  const bounds = { created_after: isoSeconds(period.from), created_before: isoSeconds(period.to) };
  const rows: OrderRow[] = [];
  for (const status of paidStatuses) rows.push(...(await readPages(stage, { status, ...bounds })));
  // The API document does not say whether a bound includes its own instant.
  const within = rows.filter(({ created_at }) => isWithin(period, created_at));
  return within.sort((one, other) => Date.parse(one.created_at) - Date.parse(other.created_at));
}
