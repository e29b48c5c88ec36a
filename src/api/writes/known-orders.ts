import { createHash } from 'node:crypto';
import type { Operation } from '../../contract/operation.ts';
import { listOrders } from '../../contract/orders.ts';
import { getStudentDetails } from '../../contract/students.ts';
import { readProducts } from '../../insights/sales/products-in-order.ts';
import { isObject } from '../../shared/json.ts';

/** So many orders are remembered. */
const maxEntries = 20_000;

interface KnownOrder {
  /** When it was first seen, in milliseconds of the monotonic clock. */
  readonly firstSeenAt: number;
  /** The refs of the products that it was ever seen to list. */
  readonly products: Set<string>;
}

/** What was seen of orders in this process: by it an order that is new is known, and a product that has gone. */
export interface KnownOrders {
  learn(operation: Operation, answer: object): void;
  /** Whether an order was seen to list a product, so that its list can be read. */
  hasListed(orderId: string, ref: string): boolean;
  /** Notes that all orders of a student have been read until now. */
  noteLook(email: string): void;
  /**
   * Whether an order came to be in the last ten minutes, told by looks alone: it was not there at a look at its student since
   * then. Undefined where there was no such look.
   */
  hasAppeared(email: string, orderId: string | undefined): boolean | undefined;
}

/** A grant this young may be the very one that is asked for again; an older one is another matter. Milliseconds. */
export const recentMs = 10 * 60_000;

/** No personal data is kept for the sake of comparing. */
function keyOf(email: string): string {
  return createHash('sha256').update(email.toLowerCase()).digest('base64url');
}

/** Drops the oldest entry of a map that has grown too large. */
function bound(map: Map<string, unknown>): void {
  const [oldest] = map.keys();
  if (map.size > maxEntries && oldest !== undefined) map.delete(oldest);
}

function ordersIn({ id }: Operation, answer: object): unknown {
  if (id === listOrders.id) return 'items' in answer ? answer.items : undefined;
  return id === getStudentDetails.id && 'paid_orders' in answer ? answer.paid_orders : undefined;
}

export function createKnownOrders(now: () => number = () => performance.now()): KnownOrders {
  const kept = new Map<string, KnownOrder>();
  const looks = new Map<string, number[]>();
  const looksAt = (email: string) => (looks.get(keyOf(email)) ?? []).filter((time) => now() - time <= recentMs);

  function learnOrder(order: Record<string, unknown>): void {
    if (typeof order.id !== 'string') return;
    const known = kept.get(order.id) ?? { firstSeenAt: now(), products: new Set<string>() };
    kept.set(order.id, known);
    for (const { ref } of readProducts(order).products) known.products.add(ref);
    bound(kept);
  }

  return {
    learn: (operation, answer) => {
      const orders = ordersIn(operation, answer);
      if (Array.isArray(orders)) for (const order of orders.filter(isObject)) learnOrder(order);
    },
    hasListed: (orderId, ref) => kept.get(orderId)?.products.has(ref) ?? false,
    noteLook: (email) => {
      looks.set(keyOf(email), [...looksAt(email), now()]);
      bound(looks);
    },
    hasAppeared: (email, orderId) => {
      const firstSeenAt = orderId === undefined ? undefined : kept.get(orderId)?.firstSeenAt;
      if (firstSeenAt === undefined) return undefined;
      if (looksAt(email).some((time) => time < firstSeenAt)) return true;
      return now() - firstSeenAt > recentMs ? false : undefined;
    },
  };
}
