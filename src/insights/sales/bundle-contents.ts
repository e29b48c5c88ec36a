import { type Revenue, revenueOf } from '../money.ts';
import type { ListedProduct, SoldOrder } from './sold-order.ts';

/** Whether a bundle contains a product; both as `ref`. */
export type BundleHolds = (bundle: string, ref: string) => boolean;

/**
 * Infers the contents of bundles from orders, since the API does not list them. A bundle contains a product if more than half
 * of the orders with the bundle list it; a product bought separately is on few of them. One order is enough.
 */
export function inferBundleContents(orders: readonly SoldOrder[]): BundleHolds {
  const times = new Map<string, number>();
  const count = (key: string) => void times.set(key, (times.get(key) ?? 0) + 1);
  for (const { products } of orders) {
    for (const bundle of products.filter(({ kind }) => kind === 'bundle')) {
      for (const { ref } of products) count(`${bundle.ref} ${ref}`);
    }
  }
  const of = (bundle: string, ref: string) => times.get(`${bundle} ${ref}`) ?? 0;
  return (bundle, ref) => 2 * of(bundle, ref) > of(bundle, bundle);
}

/** Titles of the bundles on an order that contain a product. A bundle never contains a bundle. */
export function bundlesCarrying({ products }: SoldOrder, ref: string, carries: BundleHolds): string[] {
  if (ref.startsWith('bundle ')) return [];
  const bundles = products.filter((product) => product.kind === 'bundle' && carries(product.ref, ref));
  return bundles.map(({ title, ref: bundle }) => title ?? bundle);
}

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
