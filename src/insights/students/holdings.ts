import { type BundleHolds, bundlesCarrying, inferBundleContents } from '../sales/bundle-contents.ts';
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
  /** Title of the bundle that it came in. */
  readonly via: string | undefined;
  readonly since: string | undefined;
  /** Orders that list it, oldest first. */
  readonly orders: readonly string[];
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

/** Paid orders that list a product, oldest first. */
export function ordersWith(orders: readonly SoldOrder[], ref: string): SoldOrder[] {
  return orders.filter((order) => isSettled(order) && holds(order, ref)).sort((one, other) => newestFirst(other, one));
}

function holdingThrough(
  orders: readonly SoldOrder[],
  ref: string,
  carries: BundleHolds,
): Omit<Holding, 'ref' | 'kind' | 'id' | 'title'> {
  const through = ordersWith(orders, ref);
  const [first] = through;
  const bundles = first === undefined ? [] : bundlesCarrying(first, ref, carries);
  return {
    how: howHeld(through) ?? 'enrolled',
    via: bundles.join(', ') || undefined,
    since: first?.created_at,
    orders: through.map(({ id }) => id),
  };
}

/** The products that a student holds, from their orders and from the courses in their details. */
export function holdingsOf(
  orders: readonly SoldOrder[],
  enrolled: readonly { id?: number | undefined; title?: string | undefined }[],
): Holding[] {
  const carries = inferBundleContents(orders);
  const listed = orders.filter(isSettled).flatMap(({ products }) => products);
  const byRef = new Map(listed.map((product) => [product.ref, product]));
  const held: Holding[] = [...byRef.values()].map(({ ref, kind, id, title }) => {
    return { ref, kind, id, title, ...holdingThrough(orders, ref, carries) };
  });
  const unexplained = enrolled.flatMap(({ id, title }): Holding[] => {
    const ref = `course ${id}`;
    if (id === undefined || byRef.has(ref)) return [];
    return [{ ref, kind: 'course', id, title, how: 'enrolled', via: undefined, since: undefined, orders: [] }];
  });
  return [...held, ...unexplained];
}
