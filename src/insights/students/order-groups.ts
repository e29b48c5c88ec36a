import {
  holds,
  isGrantedOrder,
  isKnownStatus,
  isSettled,
  newestFirst,
  type SoldOrder,
  saleKind,
} from '../sales/sold-order.ts';

/** `unclear`: paid, with an unreadable amount. `other`: an unknown status. */
const orderGroups = ['bought', 'granted', 'refunds', 'unpaid', 'unclear', 'other'] as const;
type OrderGroup = (typeof orderGroups)[number];

function groupOf(order: SoldOrder): OrderGroup {
  if (!isSettled(order)) return isKnownStatus(order) ? 'unpaid' : 'other';
  const kind = saleKind(order);
  if (kind === 'refund') return 'refunds';
  return kind === 'unreadable' ? 'unclear' : kind;
}

/** Groups orders by amount and status; each group newest first. */
export function groupOrders(orders: readonly SoldOrder[]): Readonly<Record<OrderGroup, readonly SoldOrder[]>> {
  const sorted = [...orders].sort(newestFirst);
  const groups = orderGroups.map((group) => [group, sorted.filter((order) => groupOf(order) === group)] as const);
  return Object.fromEntries(groups) as Record<OrderGroup, SoldOrder[]>;
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
