import * as z from 'zod';
import type { Sandbox } from '../../src/sandbox/index.ts';
import { truths } from './truth.ts';

// A simple count over raw orders, read directly from the API. Nothing here may come from src/insights.

const item = z.object({ id: z.int(), title: z.string() });
const rawOrder = z.object({
  id: z.string(),
  amount: z.string(),
  currency: z.string(),
  user_email: z.string(),
  status: z.string(),
  billing_country: z.string(),
  courses: z.array(item),
  bundles: z.array(item),
  digital_products: z.array(item),
  created_at: z.string(),
});
export type RawOrder = z.infer<typeof rawOrder>;

/** All orders, newest first. */
export async function rawOrders(sandbox: Sandbox): Promise<RawOrder[]> {
  const orders = z.array(rawOrder).parse(await truths(sandbox, '/api/v1/orders?status=all', 'orders'));
  return orders.sort((one, other) => Date.parse(other.created_at) - Date.parse(one.created_at));
}

export interface Count {
  from?: number;
  to: number;
  statuses?: readonly string[];
  withGranted?: boolean;
  list?: 'courses' | 'bundles' | 'digital_products';
  id?: number;
}

const isZero = (amount: string) => Number(amount) === 0;

/** Orders of a question, with granted ones separately. */
export function counted(orders: readonly RawOrder[], question: Count) {
  const { from = 0, to, statuses = ['paid', 'wallet_executed'], withGranted = false, list, id } = question;
  const found = orders.filter((order) => {
    const time = Date.parse(order.created_at);
    const isOf = list === undefined || order[list].some((product) => product.id === id);
    return time >= from && time < to && statuses.includes(order.status) && isOf;
  });
  const kept = found.filter(({ amount }) => withGranted || !isZero(amount));
  return { kept, granted: found.length - kept.length };
}

/** Sums in hundredths, by currency, written with two places. The sandbox has no amounts with more. */
export function sums(orders: readonly Pick<RawOrder, 'amount' | 'currency'>[]): Record<string, string> {
  const totals: Record<string, number> = {};
  for (const { amount, currency } of orders) {
    totals[currency] = (totals[currency] ?? 0) + Math.round(Number(amount) * 100);
  }
  return Object.fromEntries(Object.entries(totals).map(([currency, total]) => [currency, (total / 100).toFixed(2)]));
}

export function buyers(orders: readonly RawOrder[]): string[] {
  return [...new Set(orders.map(({ user_email }) => user_email.toLowerCase()))];
}
