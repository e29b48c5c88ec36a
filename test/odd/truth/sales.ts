import type { Academy } from '../academy/rules.ts';
import type { Kind, Order, State, Status } from '../academy/state.ts';

// The true sales, independent of what the academy shows.

export interface SalesQuestion {
  readonly from?: number;
  readonly to?: number;
  readonly product?: { readonly kind: Kind; readonly id: number };
  readonly granted?: boolean;
  readonly statuses?: readonly Status[];
}

export interface Sums {
  buyers: number;
  orders: number;
  /** Sum in hundredths, by currency. */
  revenue: Record<string, number>;
}

export const hundredths = (amount: string): number => Math.round(Number(amount) * 100);

const lists = { course: 'courses', bundle: 'bundles', digital_product: 'digitals' } as const;
const bought: readonly Status[] = ['paid', 'wallet_executed'];

export function isListed(order: Order, kind: Kind, id: number): boolean {
  return order[lists[kind]].includes(id);
}

/** Purchases; with `granted`, also access granted by an admin. A negative amount is a refund, not a purchase. */
export function salesIn({ orders }: Pick<State, 'orders'>, question: SalesQuestion): Order[] {
  const { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY, product, granted = false } = question;
  return orders.filter((order) => {
    const isKept = hundredths(order.amount) > 0 || (granted && hundredths(order.amount) === 0);
    const isIn = order.at >= from && order.at < to && (question.statuses ?? bought).includes(order.status);
    return (
      isKept && isIn && order.undone !== true && (product === undefined || isListed(order, product.kind, product.id))
    );
  });
}

export function sumsOf(orders: readonly Order[]): Sums {
  const revenue: Record<string, number> = {};
  for (const { currency, amount } of orders) {
    if (hundredths(amount) !== 0) revenue[currency] = (revenue[currency] ?? 0) + hundredths(amount);
  }
  return { buyers: new Set(orders.map(({ email }) => email.toLowerCase())).size, orders: orders.length, revenue };
}

export function groupedBy(orders: readonly Order[], keysOf: (order: Order) => string[]): Map<string, Order[]> {
  const groups = new Map<string, Order[]>();
  for (const order of orders)
    for (const key of new Set(keysOf(order))) groups.set(key, [...(groups.get(key) ?? []), order]);
  return groups;
}

export const refsOf = ({ courses, bundles, digitals }: Order): string[] => [
  ...courses.map((id) => `course ${id}`),
  ...bundles.map((id) => `bundle ${id}`),
  ...digitals.map((id) => `digital_product ${id}`),
];

export const dayOf = ({ at }: Order): string => new Date(at).toISOString().slice(0, 10);

/** Products of a student, and how the student got each. */
export function heldBy({ state }: Pick<Academy, 'state'>, student: number): Map<string, 'bought' | 'granted'> {
  const own = state.orders.filter((order) => order.student === student && bought.includes(order.status));
  const held = new Map<string, 'bought' | 'granted'>();
  for (const order of own) {
    const how = hundredths(order.amount) === 0 ? 'granted' : 'bought';
    for (const ref of refsOf(order)) if (held.get(ref) !== 'bought') held.set(ref, how);
  }
  return held;
}
