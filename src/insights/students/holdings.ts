import { caseless } from '../../shared/clean-text.ts';
import { dayMs } from '../../shared/durations.ts';
import { type BundleContents, bundleContents, bundleNames } from '../sales/bundle-contents.ts';
import { type ListRead, untitled } from '../sales/products-in-order.ts';
import {
  givesProducts,
  holds,
  howHeld,
  isKnownStatus,
  isSettled,
  type ListedProduct,
  listsProduct,
  ordersOfBundlesAlone,
  ordersWith,
  type ProductKind,
  refundDoubt,
  type SoldOrder,
} from '../sales/sold-order.ts';

/** A grant that this server made a short time ago. The platform may not show it yet. */
export interface RecentGrant {
  readonly ref: string;
  readonly agoMs: number;
}

/** "given 12 s ago by this server, not shown yet". */
export function recentGrantText({ agoMs }: RecentGrant): string {
  return `given ${Math.max(0, Math.round(agoMs / 1000))} s ago by this server, not shown yet`;
}

// Whether a student holds a product. Orders are documented, so they decide first; the courses in the details come second.

export function productsIn(input: { course_id?: number | undefined; bundle_id?: number | undefined }): ListedProduct[] {
  const of = (kind: 'course' | 'bundle', id: number | undefined) => (id === undefined ? [] : [untitled(kind, id)]);
  return [...of('course', input.course_id), ...of('bundle', input.bundle_id)];
}

export interface HoldingEvidence {
  readonly orders: readonly SoldOrder[];
  /** Why orders may be missing; undefined if the list is proved complete. */
  readonly missing?: string | undefined;
  /** The courses in the details; undefined if the details have no list of courses. */
  readonly shown?: ListRead | undefined;
  /** What this server gave them in the last ten minutes. */
  readonly recent?: readonly RecentGrant[];
  /** What bundles contain; by default, as these orders show it. */
  readonly contents?: BundleContents;
}

export interface Held {
  /** `not`: everything that could show it was read and does not. `perhaps`: not known, `doubts` say why. */
  readonly state: 'holds' | 'perhaps' | 'not';
  /** Orders that give it and list it, oldest first. */
  readonly listing: readonly SoldOrder[];
  /** Orders of bundles alone that contained it at that time, as orders show it. */
  readonly carriers: readonly SoldOrder[];
  /** When this server gave it, if the API does not show it yet. */
  readonly recent?: string;
  readonly refund: string | undefined;
  /** Why it is not known whether they hold it, or still hold it. */
  readonly doubts: readonly string[];
}

function differs(one: string | undefined, other: string | undefined): boolean {
  return caseless(one) !== '' && caseless(other) !== '' && caseless(one) !== caseless(other);
}

/** Whether a list has the product; undefined if id and title disagree, as they do when the id is that of a row. */
function isListed(products: readonly ListedProduct[], wanted: ListedProduct): boolean | undefined {
  const own = products.filter(({ kind }) => kind === wanted.kind);
  const sameId = own.filter(({ ref }) => ref === wanted.ref);
  if (sameId.some(({ title }) => !differs(title, wanted.title))) return true;
  const isTitled = caseless(wanted.title) !== '' && own.some(({ title }) => caseless(title) === caseless(wanted.title));
  return sameId.length > 0 || isTitled ? undefined : false;
}

/** Why an order may give the product; undefined if it does not give it. */
function doubtOn(order: SoldOrder, wanted: ListedProduct): string | undefined {
  const isNamed = isListed(order.products, wanted);
  const lists = isNamed === false ? listsProduct(order, wanted) : isNamed;
  if (!isSettled(order)) {
    const isIdle = isKnownStatus(order) || lists === false;
    return isIdle ? undefined : `order ${order.id} has the unknown status "${order.status ?? ''}"`;
  }
  return lists === undefined ? `the products of order ${order.id} could not be read` : undefined;
}

/** Whether orders of bundles alone give the product: what the bundles contained at that time, as orders show it. */
function carriedBy(orders: readonly SoldOrder[], { kind, ref }: ListedProduct, contents: BundleContents) {
  return ordersOfBundlesAlone(kind === 'bundle' ? [] : orders).map((order) => {
    const each = order.products.map((bundle) => contents(order, bundle.ref, ref));
    return { order, isIn: each.includes(true) ? true : each.includes(undefined) ? undefined : false };
  });
}

/** The one answer to "who holds it": orders, details, refunds and recent grants together. */
export function whoHolds(wanted: ListedProduct, evidence: HoldingEvidence): Held {
  const { orders, missing, shown, recent = [], contents = bundleContents(orders) } = evidence;
  // A course that came without an order, or in a bundle, may be in the details only.
  const details = wanted.kind === 'course' ? shown : undefined;
  const listing = ordersWith(orders, wanted.ref);
  const isOrdered = listing.some(({ products }) => isListed(products, wanted) === true);
  const inDetails = details && isListed(details.products, wanted);
  const carried = carriedBy(orders, wanted, contents);
  const carriers = carried.flatMap(({ order, isIn }) => (isIn === true ? [order] : []));
  const refund = inDetails === true ? undefined : refundDoubt(orders, wanted.ref);
  const found = { listing, carriers, refund };
  const isRead = details?.isWhole === true;
  if (inDetails === true || (isOrdered && refund === undefined) || (!isRead && carriers.length > 0)) {
    const [first] = isRead && inDetails !== true ? listing : [];
    const unlisted = first && `order ${first.id} lists it, and the details of the student do not`;
    return { ...found, state: 'holds', doubts: [refund ?? unlisted].filter((doubt) => doubt !== undefined) };
  }
  const grant = recent.find(({ ref }) => ref === wanted.ref);
  if (grant !== undefined) return { ...found, state: 'holds', recent: recentGrantText(grant), doubts: [] };
  const isUnclear = details !== undefined && (!isRead || inDetails === undefined);
  // Bundles that this server just gave, and that no order lists yet.
  const isHidden = ({ ref }: RecentGrant) => ref.startsWith('bundle ') && !orders.some((order) => holds(order, ref));
  const hidden = wanted.kind === 'bundle' ? [] : recent.filter(isHidden);
  const doubts = [
    missing === undefined ? undefined : `orders may be missing (${missing})`,
    isOrdered ? refund : undefined,
    ...orders.map((order) => doubtOn(order, wanted)),
    ...carried.map(({ order, isIn }) =>
      isIn === undefined && !isRead ? `order ${order.id} lists a bundle without its contents` : undefined,
    ),
    isUnclear ? 'courses in the details of the student could not be read' : undefined,
    ...hidden.map((one) => `${one.ref} was ${recentGrantText(one)}, and may contain it`),
  ].filter((doubt) => doubt !== undefined);
  return { ...found, state: doubts.length === 0 ? 'not' : 'perhaps', doubts };
}

export function placesListing({ orders, shown }: HoldingEvidence, ref: string): string[] {
  const isShown = shown?.products.some((course) => course.ref === ref) === true;
  const listing = orders.filter((order) => holds(order, ref)).map(({ id }) => `order ${id}`);
  return [...listing, ...(isShown ? ['the details of the student'] : [])];
}

/** Whether anything lists a product; `false` only if every order and every entry of the details could be read. */
export function isListedAnywhere(evidence: HoldingEvidence, kind: ProductKind, ref: string): boolean | undefined {
  if (placesListing(evidence, ref).length > 0) return true;
  const { orders, shown, missing } = evidence;
  const isRead =
    orders.every(({ unread }) => !unread.includes(kind)) && (kind !== 'course' || shown?.isWhole !== false);
  return missing === undefined && isRead ? false : undefined;
}

/** The products that a student holds, and how they got them, from their orders and from the courses in their details. */
export function holdingsOf({ orders, shown }: HoldingEvidence) {
  const contents = bundleContents(orders);
  const listed = [...orders.filter(givesProducts), ...(shown === undefined ? [] : [shown])];
  const byRef = new Map(listed.flatMap(({ products }) => products).map((product) => [product.ref, product]));
  return [...byRef.values()].map((product) => {
    const { listing, doubts } = whoHolds({ ...product, title: undefined }, { orders, shown, contents });
    const [first] = listing;
    return {
      ...product,
      /** `enrolled`: the API shows that they hold it, and no readable order shows whether it was bought. */
      how: howHeld(listing) ?? ('enrolled' as const),
      /** Title of the bundle that it came in; "perhaps …" if that is not known. */
      via: first && (bundleNames(first, product.ref, contents).join(', ') || undefined),
      since: first?.created_at,
      /** Oldest first. */
      orders: listing.map((order) => order.id),
      /** Why it is not known whether they still hold it. */
      doubt: doubts[0],
    };
  });
}

export type Holding = ReturnType<typeof holdingsOf>[number];

/** What answers say about held products without a known end: days_of_access costs a request for each product. */
export function uncheckedEnd(holdings: readonly Holding[], checked: ReadonlyMap<string, unknown>): string | undefined {
  const open = holdings.filter(({ ref }) => !checked.has(ref));
  if (open.length === 0) return undefined;
  const what = open.some(({ kind }) => kind === 'course') ? 'the products' : 'bundles and downloads';
  return `access to ${what} with days_of_access may have ended: diagnose_access shows it`;
}

/** " (access to 3 of them ended)"; empty if no access is known to have ended. */
export function endedText(products: readonly Pick<Holding, 'ref'>[], ended: ReadonlyMap<string, unknown>): string {
  const { length } = products.filter(({ ref }) => ended.get(ref) !== undefined);
  return length === 0 ? '' : ` (access to ${length} of them ended)`;
}

/** The day on which access ended ("2026-07-12"), counted from the last order; undefined if it has no limit or has not ended. */
export function accessEnd(last: number | undefined, days: number | null | undefined, now: Date): string | undefined {
  if (!days || last === undefined || !Number.isFinite(last)) return undefined;
  const end = new Date(last + days * dayMs);
  return end < now ? end.toISOString().slice(0, 10) : undefined;
}

/** The time of the last of these orders, in milliseconds since 1970; Infinity if one has no readable time. */
export function lastTime(orders: readonly { readonly at: number | undefined }[]): number {
  return Math.max(...orders.map(({ at }) => at ?? Number.POSITIVE_INFINITY));
}

/**
 * When an order last gave a product: one that lists it, or one of bundles alone that contained it, or perhaps did. In
 * milliseconds since 1970; minus infinity without such an order, Infinity if one has no readable time.
 */
export function lastGiven(
  wanted: ListedProduct,
  { orders, contents = bundleContents(orders) }: HoldingEvidence,
): number {
  const carried = carriedBy(orders, wanted, contents).filter(({ isIn }) => isIn !== false);
  return lastTime([...ordersWith(orders, wanted.ref), ...carried.map(({ order }) => order)]);
}
