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

/** Whether a bundle contained a product at the time of an order; undefined: not known. `ref` and `bundle` as refs. */
export type BundleContents = (order: SoldOrder, bundle: string, ref: string) => boolean | undefined;

/** Fewer orders than this say nothing of a bundle: a product beside it may have been bought with it. */
const leastOrders = 3;

/**
 * Infers what bundles contained at the time of an order: the contents may have changed since. Compares the three orders of
 * the bundle up to that time with the three from then on; where most of both list a product, or most of neither, it is
 * known. Orders of the bundle alone show nothing of its contents.
 */
export function bundleContents(orders: readonly SoldOrder[]): BundleContents {
  const byBundle = new Map<string, SoldOrder[]>();
  for (const order of [...orders].sort((one, other) => (one.at ?? 0) - (other.at ?? 0))) {
    if (order.products.every(({ kind }) => kind === 'bundle')) continue;
    for (const { kind, ref } of order.products)
      if (kind === 'bundle') byBundle.set(ref, [...(byBundle.get(ref) ?? []), order]);
  }
  return ({ at = 0, products }, bundle, ref) => {
    const listing = byBundle.get(bundle) ?? [];
    if (listing.length < leastOrders) return undefined;
    const last = listing.length - leastOrders;
    const later = listing.findIndex((other) => (other.at ?? 0) >= at);
    const earlier = listing.findLastIndex((other) => (other.at ?? 0) <= at) - leastOrders + 1;
    const [before, after] = [earlier, later < 0 ? last : later].map((from) => {
      const first = Math.min(Math.max(from, 0), last);
      const near = listing.slice(first, first + leastOrders);
      return 2 * near.filter((other) => other.products.some((one) => one.ref === ref)).length > near.length;
    });
    if (before === after) return before;
    // Where the contents changed, an order that lists the product has it from the bundle.
    return products.some((one) => one.ref === ref) ? true : undefined;
  };
}

/** The bundles of an order that contain a product, with "perhaps" if that is not known. A bundle never contains a bundle. */
export function bundleNames(order: SoldOrder, ref: string, contents: BundleContents): string | undefined {
  if (ref.startsWith('bundle ')) return undefined;
  const names = order.products.flatMap(({ kind, title, ref: bundle }) => {
    const isIn = kind === 'bundle' ? contents(order, bundle, ref) : false;
    return isIn === false ? [] : [`${isIn === undefined ? 'perhaps ' : ''}${title ?? bundle}`];
  });
  return names.join(', ') || undefined;
}
