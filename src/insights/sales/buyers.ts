import { type Revenue, revenueOf } from '../money.ts';
import { isGrantedOrder, type SaleKind, type SoldOrder, saleKind } from './sold-order.ts';

export interface Buyer {
  readonly email: string | undefined;
  readonly name: string | undefined;
  /** Newest first. */
  readonly orders: readonly SoldOrder[];
  /** Number of the orders with amount 0. */
  readonly granted: number;
  readonly revenue: Revenue;
  /** Titles of the bundles that the product came in; empty if it was bought separately. */
  readonly via: readonly string[];
}

export interface Totals {
  /** People with a counted order, even if all their orders have amount 0. */
  readonly buyers: number;
  /** People with a counted order of an amount above 0. */
  readonly paying: number;
  readonly orders: number;
  /** Number of the orders with amount 0, if these are counted. */
  readonly granted: number;
  readonly granted_excluded: number;
  /** Orders with further products: the whole amount counts, since the API does not split it. */
  readonly shared_orders: number;
  /** Orders whose amount is not a decimal number: not counted anywhere else. */
  readonly unreadable_amounts: number;
  /** Orders with an amount below 0: not counted anywhere else. */
  readonly refunds: number;
  readonly revenue: Revenue;
}

/** Groups orders by buyer, in the order of their first appearance. */
export function byBuyer(orders: readonly SoldOrder[]): Map<string, SoldOrder[]> {
  const groups = new Map<string, SoldOrder[]>();
  for (const order of orders) {
    const own = groups.get(order.buyer);
    if (own === undefined) groups.set(order.buyer, [order]);
    else own.push(order);
  }
  return groups;
}

/** Number of orders left out of the totals, by kind. */
export type Excluded = Readonly<Record<Exclude<SaleKind, 'bought'>, number>>;

/** Whether orders of amount 0 are counted. `only`: no others are. */
export type GrantedOrders = boolean | 'only';

function countedKinds(granted: GrantedOrders): readonly SaleKind[] {
  if (granted === 'only') return ['granted'];
  return granted ? ['bought', 'granted'] : ['bought'];
}

/** Separates the orders to count from those to leave out: refunds, unreadable amounts and, unless included, amount 0. */
export function splitGranted(orders: readonly SoldOrder[], granted: GrantedOrders) {
  const counted = countedKinds(granted);
  const kept = orders.filter((order) => counted.includes(saleKind(order)));
  const count = (kind: SaleKind) =>
    counted.includes(kind) ? 0 : orders.filter((order) => saleKind(order) === kind).length;
  const excluded = { granted: count('granted'), refund: count('refund'), unreadable: count('unreadable') };
  return { kept, excluded };
}

export function countGranted(orders: readonly SoldOrder[]): number {
  return orders.filter(isGrantedOrder).length;
}

/** Counts buyers with a known email: an order without one may belong to any of them. */
export function countBuyers(orders: readonly SoldOrder[]): number {
  return new Set(orders.flatMap(({ buyer, email }) => (email === undefined ? [] : [buyer]))).size;
}

export function totalsOf(kept: readonly SoldOrder[], excluded: Excluded): Totals {
  return {
    buyers: countBuyers(kept),
    paying: countBuyers(kept.filter((order) => !isGrantedOrder(order))),
    orders: kept.length,
    granted: countGranted(kept),
    granted_excluded: excluded.granted,
    shared_orders: kept.filter(({ products }) => products.length > 1).length,
    unreadable_amounts: excluded.unreadable,
    refunds: excluded.refund,
    revenue: revenueOf(kept),
  };
}

export function personOf(orders: readonly SoldOrder[]): Pick<Buyer, 'email' | 'name'> {
  return {
    email: orders.find(({ email }) => email !== undefined)?.email,
    name: orders.find(({ name }) => name !== undefined)?.name,
  };
}

/** The most frequent of these texts; the first of several. */
export function largestCount(texts: readonly string[]): string | undefined {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts].sort(([, one], [, other]) => other - one)[0]?.[0];
}
