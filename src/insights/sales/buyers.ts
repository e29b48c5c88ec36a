import { type Revenue, revenueOf } from '../money.ts';
import { bundlesBringing, inferBundleContents } from './bundle-contents.ts';
import { holds, isGrantedOrder, newestFirst, type SaleKind, type SoldOrder, saleKind } from './sold-order.ts';

export interface Buyer {
  readonly email: string | undefined;
  readonly name: string | undefined;
  /** Newest first. */
  readonly orders: readonly SoldOrder[];
  /** How many of the orders are no purchases. */
  readonly granted: number;
  readonly revenue: Revenue;
  /** Titles of the bundles through which they got it; empty where they bought the product itself. */
  readonly via: readonly string[];
}

export interface Totals {
  readonly buyers: number;
  readonly orders: number;
  /** How many of the orders are no purchases, where those are counted. */
  readonly granted: number;
  readonly granted_excluded: number;
  /** Orders with further products: their amounts count whole, since the API does not part them. */
  readonly shared_orders: number;
  /** Orders whose amount is no decimal number: nobody can tell what they are, and they are counted nowhere. */
  readonly unreadable_amounts: number;
  /** Orders whose amount is below 0: they are no purchases, and counted nowhere. */
  readonly refunds: number;
  readonly revenue: Revenue;
}

/** Orders by whoever gave them, in the order in which each first appears. */
function byBuyer(orders: readonly SoldOrder[]): Map<string, SoldOrder[]> {
  const groups = new Map<string, SoldOrder[]>();
  for (const order of orders) {
    const own = groups.get(order.buyer);
    if (own === undefined) groups.set(order.buyer, [order]);
    else own.push(order);
  }
  return groups;
}

/** How many orders are in no total, by what they are. */
export type Excluded = Readonly<Record<Exclude<SaleKind, 'bought'>, number>>;

/** Parts purchases from orders of amount 0, and from those that are neither. */
export function partGifts(orders: readonly SoldOrder[], includeGranted: boolean) {
  const counted: readonly SaleKind[] = includeGranted ? ['bought', 'granted'] : ['bought'];
  const kept = orders.filter((order) => counted.includes(saleKind(order)));
  const count = (kind: SaleKind) =>
    counted.includes(kind) ? 0 : orders.filter((order) => saleKind(order) === kind).length;
  const excluded = { granted: count('granted'), refund: count('refund'), unreadable: count('unreadable') };
  return { kept, excluded };
}

export function countGifts(orders: readonly SoldOrder[]): number {
  return orders.filter(isGrantedOrder).length;
}

/** Buyers whose email is known: an order without one may be of any of them. */
export function countBuyers(orders: readonly SoldOrder[]): number {
  return new Set(orders.flatMap(({ buyer, email }) => (email === undefined ? [] : [buyer]))).size;
}

export function totalsOf(kept: readonly SoldOrder[], excluded: Excluded): Totals {
  return {
    buyers: countBuyers(kept),
    orders: kept.length,
    granted: countGifts(kept),
    granted_excluded: excluded.granted,
    shared_orders: kept.filter(({ products }) => products.length > 1).length,
    unreadable_amounts: excluded.unreadable,
    refunds: excluded.refund,
    revenue: revenueOf(kept),
  };
}

/**
 * Who bought a product (`course 7`), newest purchase first, among orders that are all of the period and statuses asked for. Those
 * of other products show what bundles hold.
 */
export function buyersOf(
  orders: readonly SoldOrder[],
  ref: string,
  includeGranted: boolean,
): { buyers: Buyer[]; totals: Totals } {
  const ofProduct = orders.filter((order) => holds(order, ref)).sort(newestFirst);
  const { kept, excluded } = partGifts(ofProduct, includeGranted);
  const carries = inferBundleContents(orders);
  const known = kept.filter(({ email }) => email !== undefined);
  const buyers = [...byBuyer(known).values()].map((own) => ({
    email: own.find(({ email }) => email !== undefined)?.email,
    name: own.find(({ name }) => name !== undefined)?.name,
    orders: own,
    granted: countGifts(own),
    revenue: revenueOf(own),
    via: [...new Set(own.flatMap((order) => bundlesBringing(order, ref, carries)))],
  }));
  return { buyers, totals: totalsOf(kept, excluded) };
}
