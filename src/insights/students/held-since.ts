import { isoTime } from '../period.ts';
import type { RowTime } from '../row-time.ts';
import { holds, type SoldOrder } from '../sales/sold-order.ts';
import { givesProducts } from './order-groups.ts';

/** Since when a person has held a product, as far as orders were seen. */
export interface HeldSince {
  /** The earliest order that was seen. Milliseconds since 1970. */
  readonly at: number;
  /** It is the earliest of all. */
  readonly isFirst: boolean;
}

/** By `SoldOrder.buyer`. Bought and granted both count. `isWhole`: `orders` have all that the person ever made. */
export function heldSince(
  orders: readonly SoldOrder[],
  ref: string,
  isWhole: (buyer: string) => boolean,
): Map<string, HeldSince> {
  const since = new Map<string, HeldSince>();
  const undated = new Set<string>();
  for (const order of orders) {
    const { at, buyer } = order;
    if (!givesProducts(order) || !holds(order, ref)) continue;
    if (at === undefined) undated.add(buyer);
    else since.set(buyer, { at: Math.min(at, since.get(buyer)?.at ?? at), isFirst: isWhole(buyer) });
  }
  for (const buyer of undated) {
    const own = since.get(buyer);
    if (own !== undefined) since.set(buyer, { ...own, isFirst: false });
  }
  return since;
}

/** What is known of both. */
export function earliest(one: HeldSince | undefined, other: HeldSince | undefined): HeldSince | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return { at: Math.min(one.at, other.at), isFirst: one.isFirst || other.isFirst };
}

/** The day, if it is known; otherwise how it compares with the start of the period. */
export function heldSinceText(held: HeldSince | undefined, from: number | undefined, rowTime: RowTime) {
  if (held === undefined) return undefined;
  if (held.isFirst) return rowTime(isoTime(held.at));
  return from !== undefined && held.at < from ? 'before this period' : 'in or before this period';
}
