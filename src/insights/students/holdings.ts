import { type BundleContents, bundleContents, bundleNames } from '../sales/bundle-contents.ts';
import {
  holds,
  isGrantedOrder,
  isKnownStatus,
  isSettled,
  type ListedProduct,
  newestFirst,
  type SoldOrder,
  saleKind,
} from '../sales/sold-order.ts';

import type { CoursesInDetails } from './courses-in-details.ts';

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

/** A product that a student holds, and how they got it. */
export interface Holding extends ListedProduct {
  /** `enrolled`: the API shows that they hold it, and no readable order shows whether it was bought. */
  readonly how: 'bought' | 'granted' | 'enrolled';
  /** Title of the bundle that it came in; "perhaps …" if that is not known. */
  readonly via: string | undefined;
  readonly since: string | undefined;
  /** Orders that list it, oldest first. */
  readonly orders: readonly string[];
  /** Why it is not known whether they still hold it. */
  readonly doubt?: string | undefined;
}

/** `unclear`: paid, with an unreadable amount. `other`: an unknown status. */
export type OrderGroup = 'bought' | 'granted' | 'refunds' | 'unpaid' | 'unclear' | 'other';

function groupOf(order: SoldOrder): OrderGroup {
  if (!isSettled(order)) return isKnownStatus(order) ? 'unpaid' : 'other';
  const kind = saleKind(order);
  if (kind === 'refund') return 'refunds';
  return kind === 'unreadable' ? 'unclear' : kind;
}

/** Groups orders by amount and status; each group newest first. */
export function groupOrders(orders: readonly SoldOrder[]): Readonly<Record<OrderGroup, readonly SoldOrder[]>> {
  const sorted = [...orders].sort(newestFirst);
  const of = (group: OrderGroup) => sorted.filter((order) => groupOf(order) === group);
  return {
    bought: of('bought'),
    granted: of('granted'),
    refunds: of('refunds'),
    unpaid: of('unpaid'),
    unclear: of('unclear'),
    other: of('other'),
  };
}

/** How the student got the products of some orders; undefined if no amount is readable. */
export function howHeld(orders: readonly SoldOrder[]): 'bought' | 'granted' | undefined {
  if (orders.some((order) => saleKind(order) === 'bought')) return 'bought';
  return orders.length > 0 && orders.every(isGrantedOrder) ? 'granted' : undefined;
}

/** Whether an order gives what it lists: it is paid or granted, and no refund. */
export function givesProducts(order: SoldOrder): boolean {
  return isSettled(order) && saleKind(order) !== 'refund';
}

/** Orders that give a product and list it, oldest first. */
export function ordersWith(orders: readonly SoldOrder[], ref: string): SoldOrder[] {
  return orders.filter((order) => givesProducts(order) && holds(order, ref)).sort((one, two) => newestFirst(two, one));
}

/** Why a product may have been given back, although an order lists it; undefined if nothing shows that. */
export function refundDoubt(orders: readonly SoldOrder[], ref: string): string | undefined {
  const refund = orders.find((order) => isSettled(order) && saleKind(order) === 'refund' && holds(order, ref));
  if (refund !== undefined) return `order ${refund.id} of ${refund.amount} lists it too, which may be a refund`;
  const own = ordersWith(orders, ref);
  const marked = own.length > 0 && own.every(({ marks }) => marks !== undefined) ? own.at(-1) : undefined;
  return marked && `order ${marked.id} carries ${marked.marks?.join(' and ')}`;
}

/** Orders of bundles alone: what they give beside the bundles is not listed. */
export function ordersOfBundlesAlone(orders: readonly SoldOrder[]): SoldOrder[] {
  return orders.filter(
    (order) =>
      givesProducts(order) && order.products.length > 0 && order.products.every(({ kind }) => kind === 'bundle'),
  );
}

function holdingThrough(
  orders: readonly SoldOrder[],
  ref: string,
  contents: BundleContents,
): Pick<Holding, 'how' | 'via' | 'since' | 'orders'> {
  const through = ordersWith(orders, ref);
  const [first] = through;
  return {
    how: howHeld(through) ?? 'enrolled',
    via: first && (bundleNames(first, ref, contents).join(', ') || undefined),
    since: first?.created_at,
    orders: through.map(({ id }) => id),
  };
}

/** Why it is not known whether a product of these orders is still held, as far as the details show it. */
function doubtOn(orders: readonly SoldOrder[], ref: string, shown: CoursesInDetails | undefined) {
  if (shown?.courses.some((course) => course.ref === ref)) return undefined;
  const isMissing = ref.startsWith('course ') && shown?.isWhole === true;
  const [first] = ordersWith(orders, ref);
  const unlisted = isMissing && first ? `order ${first.id} lists it, and the details of the student do not` : undefined;
  return refundDoubt(orders, ref) ?? unlisted;
}

/** The products that a student holds, from their orders and from the courses in their details. */
export function holdingsOf(orders: readonly SoldOrder[], shown: CoursesInDetails | undefined): Holding[] {
  const contents = bundleContents(orders);
  const listed = orders.filter(givesProducts).flatMap(({ products }) => products);
  const byRef = new Map(listed.map((product) => [product.ref, product]));
  const held: Holding[] = [...byRef.values()].map(({ ref, kind, id, title }) => {
    const doubt = doubtOn(orders, ref, shown);
    return { ref, kind, id, title, ...holdingThrough(orders, ref, contents), doubt };
  });
  const unexplained = (shown?.courses ?? []).filter(({ ref }) => !byRef.has(ref));
  const enrolled = { how: 'enrolled', via: undefined, since: undefined, orders: [] } as const;
  return [...held, ...unexplained.map((course) => ({ ...course, ...enrolled }))];
}
