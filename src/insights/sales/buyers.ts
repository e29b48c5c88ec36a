import { isAmount, type Revenue, revenueOf } from '../money.ts';
import { bundlesBringing, inferBundleContents } from './bundle-contents.ts';
import { holds, isGrantedOrder, newestFirst, type SoldOrder } from './sold-order.ts';

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
  /** Orders whose amount is no decimal number: they are in no sum. */
  readonly unreadable_amounts: number;
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

/** Parts purchases from access that an admin gave. */
export function partGifts(orders: readonly SoldOrder[], includeGranted: boolean) {
  const kept = includeGranted ? orders : orders.filter((order) => !isGrantedOrder(order));
  return { kept, excluded: orders.length - kept.length };
}

export function countGifts(orders: readonly SoldOrder[]): number {
  return orders.filter(isGrantedOrder).length;
}

export function totalsOf(kept: readonly SoldOrder[], excluded: number): Totals {
  return {
    buyers: new Set(kept.map(({ buyer }) => buyer)).size,
    orders: kept.length,
    granted: countGifts(kept),
    granted_excluded: excluded,
    shared_orders: kept.filter(({ products }) => products.length > 1).length,
    unreadable_amounts: kept.filter(({ amount }) => !isAmount(amount)).length,
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
  const buyers = [...byBuyer(kept).values()].map((own) => ({
    email: own.find(({ email }) => email !== undefined)?.email,
    name: own.find(({ name }) => name !== undefined)?.name,
    orders: own,
    granted: countGifts(own),
    revenue: revenueOf(own),
    via: [...new Set(own.flatMap((order) => bundlesBringing(order, ref, carries)))],
  }));
  return { buyers, totals: totalsOf(kept, excluded) };
}
