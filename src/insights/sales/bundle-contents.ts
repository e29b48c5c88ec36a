import { groupBy } from '../../shared/group-by.ts';
import { countFirst } from '../../shared/sorted.ts';
import { type Revenue, revenueOf } from '../money.ts';
import { holds, type ListedProduct, newestFirst, type SoldOrder } from './sold-order.ts';

/** Whether a bundle contained a product at the time of an order; undefined: not known. `ref` and `bundle` as refs. */
export type BundleContents = (order: SoldOrder, bundle: string, ref: string) => boolean | undefined;

/** Fewer orders than this say nothing of a bundle: a product beside it may have been bought with it. */
const leastOrders = 3;

/** The number of these orders, sorted by time, that are earlier. */
const countBefore = (orders: readonly SoldOrder[], time: number) =>
  countFirst(orders.length, (index) => (orders[index]?.at ?? 0) < time);

/**
 * Infers what bundles contained at the time of an order: the API does not list it, and it may have changed since. Compares the
 * three orders of the bundle up to that time with the three from then on; where most of both list a product, or most of
 * neither, it is known. Orders of the bundle alone show nothing of its contents.
 */
export function bundleContents(orders: readonly SoldOrder[]): BundleContents {
  const telling = orders.filter(({ products }) => products.some(({ kind }) => kind !== 'bundle'));
  const oldestFirst = telling.sort((one, other) => newestFirst(other, one));
  const listings = oldestFirst.flatMap((order) =>
    order.products.flatMap(({ kind, ref }) => (kind === 'bundle' ? [{ order, ref }] : [])),
  );
  const byBundle = groupBy(listings, ({ ref }) => ref);
  const listingOf = new Map([...byBundle].map(([ref, own]) => [ref, own.map(({ order }) => order)]));
  return (wanted, bundle, ref) => {
    const listing = listingOf.get(bundle) ?? [];
    const { at = 0 } = wanted;
    const last = listing.length - leastOrders;
    if (last < 0) return undefined;
    const mostList = (from: number) => {
      const first = Math.min(Math.max(from, 0), last);
      const near = listing.slice(first, first + leastOrders);
      return 2 * near.filter((other) => holds(other, ref)).length > near.length;
    };
    const before = mostList(countBefore(listing, at + 1) - leastOrders);
    if (before === mostList(countBefore(listing, at))) return before;
    // Where the contents changed, an order that lists the product has it from the bundle.
    return holds(wanted, ref) ? true : undefined;
  };
}

/** The bundles of an order that contain a product, with "perhaps" if that is not known. A bundle never contains a bundle. */
export function bundleNames(order: SoldOrder, ref: string, contents: BundleContents): string[] {
  if (ref.startsWith('bundle ')) return [];
  return order.products.flatMap(({ kind, title, ref: bundle }) => {
    const isIn = kind === 'bundle' ? contents(order, bundle, ref) : false;
    return isIn === false ? [] : [`${isIn === undefined ? 'perhaps ' : ''}${title ?? bundle}`];
  });
}

// The API shows one amount for a whole order, so what was paid for one of its products is known only if it was bought alone.

/** Whether an order has these products (`course 7`) and no others, except what their bundles are known to contain. */
export function isAlone(order: SoldOrder, refs: readonly string[], contents: BundleContents): boolean {
  const bundles = refs.filter((ref) => ref.startsWith('bundle ') && holds(order, ref));
  return order.products.every(
    ({ ref }) => refs.includes(ref) || bundles.some((bundle) => contents(order, bundle, ref) === true),
  );
}

/** The sums of the orders of these products alone, for each currency of all the orders, even if it is 0. */
export function aloneTotal(orders: readonly SoldOrder[], refs: readonly string[], contents: BundleContents): Revenue {
  const zeros = Object.keys(revenueOf(orders)).map((currency) => [currency, '0'] as const);
  return { ...Object.fromEntries(zeros), ...revenueOf(orders.filter((order) => isAlone(order, refs, contents))) };
}

/** The bundles among these products whose orders list others that they may contain: such orders do not count as alone. */
export function unclearBundles(
  orders: readonly SoldOrder[],
  refs: readonly string[],
  contents: BundleContents,
): string[] {
  const isUnclear = (bundle: string) => (order: SoldOrder) =>
    holds(order, bundle) &&
    order.products.some(({ kind, ref }) => kind !== 'bundle' && contents(order, bundle, ref) === undefined);
  return refs.filter((ref) => ref.startsWith('bundle ') && orders.some(isUnclear(ref)));
}

/** The products of an order without those that came in its bundles, or perhaps did. */
export function chosenProducts(order: SoldOrder, contents: BundleContents): ListedProduct[] {
  return order.products.filter(({ ref }) => bundleNames(order, ref, contents).length === 0);
}
