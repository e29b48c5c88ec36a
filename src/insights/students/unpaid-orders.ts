import { oneLine } from '../../shared/clean-text.ts';
import { bundleContents } from '../sales/bundle-contents.ts';
import { holds, isKnownStatus, isSettled, newestFirst, type SoldOrder } from '../sales/sold-order.ts';

/** A pending or failed order, as answers show it. */
export interface UnpaidOrder {
  readonly order: string;
  readonly status: string | undefined;
  /** With the currency: "49.00 USD". */
  readonly amount: string | undefined;
  readonly created_at: string | undefined;
  /** The bundle that it is an order of, if the product is asked for as a part of it. */
  readonly via: string | undefined;
}

/**
 * The pending and failed orders of a product, newest first: those that list it, and those that `names` says were of it. A
 * revocation takes a product off unpaid orders too.
 */
export function unpaidOrders(
  orders: readonly SoldOrder[],
  ref: string,
  names: (order: SoldOrder) => boolean,
): UnpaidOrder[] {
  const isOfIt = (order: SoldOrder) => holds(order, ref) || names(order);
  const unpaid = orders.filter((order) => isKnownStatus(order) && !isSettled(order) && isOfIt(order));
  const contents = bundleContents(orders);
  return unpaid.sort(newestFirst).map((order) => {
    const { id, status, amount, currency, created_at, products } = order;
    const bundles = products.filter((one) => one.kind === 'bundle' && contents(order, one.ref, ref) !== false);
    const via = ref.startsWith('bundle ')
      ? undefined
      : bundles.map((one) => one.title ?? one.ref).join(', ') || undefined;
    return {
      order: id,
      status,
      amount: amount === undefined ? undefined : oneLine([amount, currency ?? ''].join(' '), 60).trim(),
      created_at,
      via,
    };
  });
}

/** The order that an answer is about: a pending one may still be paid. */
export function likeliestUnpaid(unpaid: readonly UnpaidOrder[]): UnpaidOrder | undefined {
  return unpaid.find(({ status }) => status === 'pending') ?? unpaid[0];
}

/** "order 1f2e (49.00 USD, 2026-11-01)". The day is that of UTC. */
export function unpaidText({ order, amount, created_at, via }: UnpaidOrder): string {
  const facts = [via && `bundle ${oneLine(via, 200)}`, amount, created_at?.slice(0, 10)].filter(
    (fact) => fact !== undefined,
  );
  return facts.length === 0 ? `order ${order}` : `order ${order} (${facts.join(', ')})`;
}
