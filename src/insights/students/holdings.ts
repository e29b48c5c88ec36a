import { bundlesBringing, type Carries, inferBundleContents } from '../sales/bundle-contents.ts';
import {
  holds,
  isGrantedOrder,
  isKnownStatus,
  newestFirst,
  type ProductKind,
  paidStatuses,
  type SoldOrder,
  saleKind,
} from '../sales/sold-order.ts';

/** A product that a student holds, and how that came. */
export interface Holding {
  readonly ref: string;
  readonly kind: ProductKind;
  readonly id: number;
  readonly title: string | undefined;
  /** `enrolled`: the API shows that they hold it, and no order says readably whether it was bought. */
  readonly how: 'bought' | 'granted' | 'enrolled';
  /** The bundle that it came in. */
  readonly via: string | undefined;
  readonly since: string | undefined;
  /** Orders that list it, oldest first. */
  readonly orders: readonly string[];
}

/** Orders that give access: pending and failed ones give none. */
export function isSettled({ status }: SoldOrder): boolean {
  return paidStatuses.some((paid) => paid === status);
}

/** Orders by what they were. `unclear`: settled, of an amount that could not be read. `other`: of a status that is not known. */
export type OrderPart = 'bought' | 'granted' | 'refunds' | 'unpaid' | 'unclear' | 'other';

function partOf(order: SoldOrder): OrderPart {
  if (!isSettled(order)) return isKnownStatus(order) ? 'unpaid' : 'other';
  const kind = saleKind(order);
  if (kind === 'refund') return 'refunds';
  return kind === 'unreadable' ? 'unclear' : kind;
}

/** Orders parted by what they were; each newest first. */
export function partOrders(orders: readonly SoldOrder[]): Readonly<Record<OrderPart, readonly SoldOrder[]>> {
  const sorted = [...orders].sort(newestFirst);
  const of = (part: OrderPart) => sorted.filter((order) => partOf(order) === part);
  return {
    bought: of('bought'),
    granted: of('granted'),
    refunds: of('refunds'),
    unpaid: of('unpaid'),
    unclear: of('unclear'),
    other: of('other'),
  };
}

/** How what some orders list was come by; undefined where none of them says it readably. */
export function howHeld(orders: readonly SoldOrder[]): 'bought' | 'granted' | undefined {
  if (orders.some((order) => saleKind(order) === 'bought')) return 'bought';
  return orders.length > 0 && orders.every(isGrantedOrder) ? 'granted' : undefined;
}

/** Settled orders that list a product, oldest first. */
export function ordersWith(orders: readonly SoldOrder[], ref: string): SoldOrder[] {
  return orders.filter((order) => isSettled(order) && holds(order, ref)).sort((one, other) => newestFirst(other, one));
}

function holdingThrough(
  orders: readonly SoldOrder[],
  ref: string,
  carries: Carries,
): Omit<Holding, 'ref' | 'kind' | 'id' | 'title'> {
  const through = ordersWith(orders, ref);
  const [first] = through;
  const bundles = first === undefined ? [] : bundlesBringing(first, ref, carries);
  return {
    how: howHeld(through) ?? 'enrolled',
    via: bundles.join(', ') || undefined,
    since: first?.created_at,
    orders: through.map(({ id }) => id),
  };
}

/** What a student holds by their orders, and by the courses that the API shows as theirs. */
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
