import { oneLine } from '../../shared/clean-text.ts';
import { holds, isKnownStatus, isSettled, newestFirst, type SoldOrder } from '../sales/sold-order.ts';

/** A pending or failed order, as answers show it. */
export interface UnpaidOrder {
  readonly order: string;
  readonly status: string | undefined;
  /** With the currency: "49.00 USD". */
  readonly amount: string | undefined;
  readonly created_at: string | undefined;
}

/** The pending and failed orders that list a product, newest first. */
export function unpaidOrders(orders: readonly SoldOrder[], ref: string): UnpaidOrder[] {
  const unpaid = orders.filter((order) => isKnownStatus(order) && !isSettled(order) && holds(order, ref));
  return unpaid.sort(newestFirst).map(({ id, status, amount, currency, created_at }) => ({
    order: id,
    status,
    amount: amount === undefined ? undefined : oneLine([amount, currency ?? ''].join(' '), 60).trim(),
    created_at,
  }));
}

/** The order that an answer is about: a pending one may still be paid. */
export function likeliestUnpaid(unpaid: readonly UnpaidOrder[]): UnpaidOrder | undefined {
  return unpaid.find(({ status }) => status === 'pending') ?? unpaid[0];
}

/** "order 1f2e (49.00 USD, 2026-11-01T10:00:00Z)". */
export function unpaidText({ order, amount, created_at }: UnpaidOrder): string {
  const facts = [amount, created_at].filter((fact) => fact !== undefined);
  return facts.length === 0 ? `order ${order}` : `order ${order} (${facts.join(', ')})`;
}
