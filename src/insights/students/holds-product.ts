import { composed } from '../../shared/clean-text.ts';
import { bundleContents } from '../sales/bundle-contents.ts';
import {
  holds,
  isKnownStatus,
  isSettled,
  type ListedProduct,
  listsProduct,
  type ProductKind,
  type SoldOrder,
} from '../sales/sold-order.ts';
import type { CoursesInDetails } from './courses-in-details.ts';
import { givesProducts, ordersOfBundlesAlone, refundDoubt } from './holdings.ts';
import { type RecentGrant, recentGrantText } from './recent-grant.ts';

// Whether a student holds a product. Orders are documented, so they decide first; the courses in the details come second.

export interface WantedProduct {
  readonly ref: string;
  readonly kind: ProductKind;
  readonly id: number;
  readonly title?: string | undefined;
}

export interface HoldingEvidence {
  /** Orders of every status. */
  readonly orders: readonly SoldOrder[];
  /** Why orders may be missing; undefined if the list is proved complete. */
  readonly missing: string | undefined;
  /** Undefined if the details have no list of courses. */
  readonly shown: CoursesInDetails | undefined;
  /** What this server gave them in the last ten minutes. */
  readonly recent: readonly RecentGrant[];
}

export type HeldResult =
  /** `recent`: this server gave it, and the API does not show it yet. */
  | { readonly held: true; readonly recent?: string }
  | { readonly held: false }
  /** Not known, and why. */
  | { readonly held: undefined; readonly why: string };

const plain = (text: string | undefined) => composed((text ?? '').trim().replace(/\s+/g, ' ')).toLowerCase();

/** Whether both titles are known and differ. */
function differs(one: string | undefined, other: string | undefined): boolean {
  return plain(one) !== '' && plain(other) !== '' && plain(one) !== plain(other);
}

/** Whether a list has the product; undefined if id and title disagree, as they do when the id is that of a row. */
function isListed(products: readonly ListedProduct[], wanted: WantedProduct): boolean | undefined {
  const own = products.filter(({ kind }) => kind === wanted.kind);
  const sameId = own.filter(({ ref }) => ref === wanted.ref);
  if (sameId.some(({ title }) => !differs(title, wanted.title))) return true;
  const isTitled = plain(wanted.title) !== '' && own.some(({ title }) => plain(title) === plain(wanted.title));
  return sameId.length > 0 || isTitled ? undefined : false;
}

/** Why an order may give the product; undefined if it does not give it. */
function doubtOn(order: SoldOrder, wanted: WantedProduct): string | undefined {
  const isNamed = isListed(order.products, wanted);
  const lists = isNamed === false ? listsProduct(order, wanted) : isNamed;
  if (!isSettled(order)) {
    const isIdle = isKnownStatus(order) || lists === false;
    return isIdle ? undefined : `order ${order.id} has the unknown status "${order.status ?? ''}"`;
  }
  return lists === undefined ? `the products of order ${order.id} could not be read` : undefined;
}

/** Whether an order of bundles alone gives the product: what its bundles contained at that time, as orders show it. */
export function isCarried(orders: readonly SoldOrder[], wanted: WantedProduct, others: readonly SoldOrder[] = []) {
  const contents = bundleContents([...orders, ...others]);
  return ordersOfBundlesAlone(wanted.kind === 'bundle' ? [] : orders).map((order) => {
    const each = order.products.map((bundle) => contents(order, bundle.ref, wanted.ref));
    return { order, isIn: each.includes(true) ? true : each.includes(undefined) ? undefined : false };
  });
}

/** A course that came without an order, or in a bundle, may be in the details only. */
function shownDoubt(wanted: WantedProduct, { courses, isWhole }: CoursesInDetails): string | undefined {
  const isUnclear = wanted.kind === 'course' && (!isWhole || isListed(courses, wanted) === undefined);
  return isUnclear ? 'courses in the details of the student could not be read' : undefined;
}

/** Bundles that this server just gave, and that no order lists yet. */
function hiddenBundles({ kind }: WantedProduct, { orders, recent }: HoldingEvidence): RecentGrant[] {
  const isHidden = ({ ref }: RecentGrant) => ref.startsWith('bundle ') && !orders.some((order) => holds(order, ref));
  return kind === 'bundle' ? [] : recent.filter(isHidden);
}

const maxDoubts = 2;

/** Judges whether a product is held: `false` only if everything that could show it was read and does not. */
export function judgeHeld(wanted: WantedProduct, evidence: HoldingEvidence): HeldResult {
  const { orders, missing, shown, recent } = evidence;
  const isOrdered = orders.some((order) => givesProducts(order) && isListed(order.products, wanted) === true);
  const isShown = wanted.kind === 'course' && isListed(shown?.courses ?? [], wanted) === true;
  const refunded = isOrdered && !isShown ? refundDoubt(orders, wanted.ref) : undefined;
  const isInDetails = wanted.kind === 'course' && shown?.isWhole === true;
  const carried = isInDetails ? [] : isCarried(orders, wanted);
  if (isShown || (isOrdered && refunded === undefined) || carried.some(({ isIn }) => isIn === true))
    return { held: true };
  const given = recent.find(({ ref }) => ref === wanted.ref);
  if (given !== undefined) return { held: true, recent: recentGrantText(given) };
  const doubts = [
    missing === undefined ? undefined : `orders may be missing (${missing})`,
    refunded,
    ...orders.map((order) => doubtOn(order, wanted)),
    ...carried.map(({ order, isIn }) =>
      isIn === undefined ? `order ${order.id} lists a bundle without its contents` : undefined,
    ),
    shown && shownDoubt(wanted, shown),
    ...hiddenBundles(wanted, evidence).map((one) => `${one.ref} was ${recentGrantText(one)}, and may contain it`),
  ].filter((doubt) => doubt !== undefined);
  return doubts.length === 0 ? { held: false } : { held: undefined, why: doubts.slice(0, maxDoubts).join('; ') };
}
