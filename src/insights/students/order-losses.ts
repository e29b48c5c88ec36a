import { bundlesBringing, type Carries, inferBundleContents } from '../sales/bundle-contents.ts';
import {
  holds,
  isGrantedOrder,
  type ListedProduct,
  newestFirst,
  productRef,
  type SoldOrder,
} from '../sales/sold-order.ts';
import { isSettled } from './holdings.ts';

/** How an order came to list what is taken off it. */
export type TakenFrom = 'bought separately' | 'bought with the bundle' | 'granted' | 'not paid';

/** What one order loses. */
export interface Taking {
  readonly order: SoldOrder;
  readonly products: readonly ListedProduct[];
  /** What the order goes on listing. */
  readonly kept: readonly ListedProduct[];
  readonly how: TakenFrom;
}

/** What orders show of a bundle's contents: everything that stands on an order beside it, so that none is forgotten. */
export function shownContents(orders: readonly SoldOrder[], bundleId: number): ListedProduct[] {
  const ref = productRef('bundle', bundleId);
  const beside = orders.filter((order) => holds(order, ref)).flatMap(({ products }) => products);
  const contents = beside.filter(({ kind }) => kind !== 'bundle');
  return [...new Map(contents.map((product) => [product.ref, product])).values()];
}

function howOf(order: SoldOrder, products: readonly ListedProduct[], carries: Carries): TakenFrom {
  if (!isSettled(order)) return 'not paid';
  if (isGrantedOrder(order)) return 'granted';
  const isBrought = products.some(
    ({ kind, ref }) => kind === 'bundle' || bundlesBringing(order, ref, carries).length > 0,
  );
  return isBrought ? 'bought with the bundle' : 'bought separately';
}

function takingFrom(order: SoldOrder, refs: ReadonlySet<string>, carries: Carries): Taking[] {
  const products = order.products.filter(({ ref }) => refs.has(ref));
  if (products.length === 0) return [];
  const kept = order.products.filter(({ ref }) => !refs.has(ref));
  return [{ order, products, kept, how: howOf(order, products, carries) }];
}

/** What the removal of these products takes from which orders, newest first. */
export function takings(orders: readonly SoldOrder[], refs: Iterable<string>): Taking[] {
  const taken = new Set(refs);
  const carries = inferBundleContents(orders);
  return [...orders].sort(newestFirst).flatMap((order) => takingFrom(order, taken, carries));
}

/** What orders list no more that listed it before. An order that is not seen any more shows nothing. */
export function takenBetween(before: readonly SoldOrder[], after: readonly SoldOrder[]): Taking[] {
  const now = new Map(after.map((order) => [order.id, order]));
  const carries = inferBundleContents(before);
  return [...before].sort(newestFirst).flatMap((order) => {
    const left = now.get(order.id);
    if (left === undefined) return [];
    const gone = order.products.filter(({ ref }) => !holds(left, ref)).map(({ ref }) => ref);
    return takingFrom(order, new Set(gone), carries);
  });
}

/** Orders of money that came in and lose something that was bought on its own. */
export function boughtSeparately(taken: readonly Taking[]): SoldOrder[] {
  return taken.flatMap(({ order, how }) => (how === 'bought separately' ? [order] : []));
}

/** What enroll_student can give again: a bundle brings its products with it, and a download comes in no other way. */
export function grantable(taken: readonly Taking[]): { courses: number[]; bundles: number[]; others: ListedProduct[] } {
  const isBundle = ({ kind }: ListedProduct) => kind === 'bundle';
  const settled = taken
    .filter(({ how }) => how !== 'not paid')
    .flatMap(({ products }) => (products.some(isBundle) ? products.filter(isBundle) : products));
  const products = [...new Map(settled.map((product) => [product.ref, product])).values()];
  const ids = (wanted: ListedProduct['kind']) => products.flatMap(({ kind, id }) => (kind === wanted ? [id] : []));
  return {
    courses: ids('course'),
    bundles: ids('bundle'),
    others: products.filter(({ kind }) => kind === 'digital_product'),
  };
}
