import { type Revenue, revenueOf } from '../money.ts';
import { type BundleHolds, bundlesCarrying } from './bundle-contents.ts';
import type { ListedProduct, SoldOrder } from './sold-order.ts';

// The API shows one amount for a whole order, so what was paid for one of its products is known only if it was bought alone.

/** Whether an order has these products (`course 7`) and no others, except the contents of their bundles. */
export function isAlone({ products }: SoldOrder, refs: readonly string[], carries: BundleHolds): boolean {
  const bundles = refs.filter((ref) => ref.startsWith('bundle '));
  return products.every(({ ref }) => refs.includes(ref) || bundles.some((bundle) => carries(bundle, ref)));
}

/** The sums of the orders of these products alone, for each currency of all the orders, even if it is 0. */
export function aloneTotal(orders: readonly SoldOrder[], refs: readonly string[], carries: BundleHolds): Revenue {
  const zeros = Object.keys(revenueOf(orders)).map((currency) => [currency, '0'] as const);
  return { ...Object.fromEntries(zeros), ...revenueOf(orders.filter((order) => isAlone(order, refs, carries))) };
}

/** The products of an order without the contents of its bundles. */
export function chosenProducts(order: SoldOrder, carries: BundleHolds): ListedProduct[] {
  return order.products.filter(({ ref }) => bundlesCarrying(order, ref, carries).length === 0);
}
