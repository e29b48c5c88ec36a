import type { OldValues } from '../../contract/lookups/old-values.ts';
import { type BundleContents, bundleContents } from '../sales/bundle-contents.ts';
import {
  holds,
  isGrantedOrder,
  isSettled,
  type ListedProduct,
  newestFirst,
  productRef,
  type SoldOrder,
  uniqueByRef,
} from '../sales/sold-order.ts';

/** How the student got the products that an order loses. */
export type LossSource =
  | 'bought separately'
  | 'bought with the bundle'
  /** What the bundle contains is not known. */
  | 'bought, perhaps with the bundle'
  | 'granted'
  | 'not paid';

/** The products that one order loses. */
export interface OrderLoss {
  readonly order: SoldOrder;
  readonly products: readonly ListedProduct[];
  /** Products that the order keeps. */
  readonly kept: readonly ListedProduct[];
  readonly how: LossSource;
}

/** Every product listed beside a bundle on an order: all that orders show of its contents, so that none is missed. */
export function productsBesideBundle(orders: readonly SoldOrder[], bundleId: number): ListedProduct[] {
  const ref = productRef('bundle', bundleId);
  const beside = orders.filter((order) => holds(order, ref)).flatMap(({ products }) => products);
  const contents = beside.filter(({ kind }) => kind !== 'bundle');
  return uniqueByRef(contents);
}

function sourceOf(order: SoldOrder, products: readonly ListedProduct[], contents: BundleContents): LossSource {
  if (!isSettled(order)) return 'not paid';
  if (isGrantedOrder(order)) return 'granted';
  const bundles = order.products.filter(({ kind }) => kind === 'bundle');
  const each = products.flatMap(({ kind, ref }) =>
    kind === 'bundle' ? [true] : bundles.map((bundle) => contents(order, bundle.ref, ref)),
  );
  if (each.includes(true)) return 'bought with the bundle';
  return each.includes(undefined) ? 'bought, perhaps with the bundle' : 'bought separately';
}

function lossOn(order: SoldOrder, refs: ReadonlySet<string>, contents: BundleContents): OrderLoss[] {
  const products = order.products.filter(({ ref }) => refs.has(ref));
  if (products.length === 0) return [];
  const kept = order.products.filter(({ ref }) => !refs.has(ref));
  return [{ order, products, kept, how: sourceOf(order, products, contents) }];
}

/** What each order loses if these products are removed, newest order first. */
export function orderLosses(orders: readonly SoldOrder[], refs: Iterable<string>): OrderLoss[] {
  const removed = new Set(refs);
  const contents = bundleContents(orders);
  return [...orders].sort(newestFirst).flatMap((order) => lossOn(order, removed, contents));
}

/** What each order listed before and no longer lists. An order that is missing afterwards shows nothing. */
export function lossesBetween(before: readonly SoldOrder[], after: readonly SoldOrder[]): OrderLoss[] {
  const now = new Map(after.map((order) => [order.id, order]));
  const contents = bundleContents(before);
  return [...before].sort(newestFirst).flatMap((order) => {
    const left = now.get(order.id);
    if (left === undefined) return [];
    const gone = order.products.filter(({ ref }) => !holds(left, ref)).map(({ ref }) => ref);
    return lossOn(order, new Set(gone), contents);
  });
}

/** Paid orders that lose a product bought separately. */
export function boughtSeparately(losses: readonly OrderLoss[]): SoldOrder[] {
  return losses.flatMap(({ order, how }) => (how === 'bought separately' ? [order] : []));
}

/** What enroll_student can grant again: a bundle includes its products, and a download comes only in a bundle. */
export function grantable(losses: readonly OrderLoss[]): {
  courses: number[];
  bundles: number[];
  others: ListedProduct[];
} {
  const isBundle = ({ kind }: ListedProduct) => kind === 'bundle';
  const settled = losses
    .filter(({ how }) => how !== 'not paid')
    .flatMap(({ products }) => (products.some(isBundle) ? products.filter(isBundle) : products));
  const products = uniqueByRef(settled);
  const ids = (wanted: ListedProduct['kind']) => products.flatMap(({ kind, id }) => (kind === wanted ? [id] : []));
  return {
    courses: ids('course'),
    bundles: ids('bundle'),
    others: products.filter(({ kind }) => kind === 'digital_product'),
  };
}

/** The values that a revocation overwrites: the orders that list the product, and what can be granted again. */
export function accessBefore(orders: readonly SoldOrder[], refs: readonly string[]): OldValues {
  const losses = orderLosses(orders, refs);
  const { courses, bundles } = grantable(losses);
  return { values: { orders: losses.map(({ order }) => order.id), courses, bundles } };
}
