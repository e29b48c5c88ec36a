import { holds, type SoldOrder } from '../sales/sold-order.ts';
import { givesProducts } from './holdings.ts';

/** When each buyer first got a product, in milliseconds since 1970, by `SoldOrder.buyer`. Bought and granted both count. */
export function heldSince(orders: readonly SoldOrder[], ref: string): Map<string, number> {
  const first = new Map<string, number>();
  for (const order of orders) {
    const { at, buyer } = order;
    if (at === undefined || !givesProducts(order) || !holds(order, ref)) continue;
    first.set(buyer, Math.min(at, first.get(buyer) ?? at));
  }
  return first;
}
