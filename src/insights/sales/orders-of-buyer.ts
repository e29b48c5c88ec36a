import { buyerKey } from './sold-order.ts';

// Selects the orders of one student from what the API sent, each once.

interface OrderLike {
  readonly id?: string | undefined;
  readonly user_email?: string | undefined;
  readonly status?: string | undefined;
}

export interface BuyerOrders<Order> {
  readonly own: readonly Order[];
  /** Orders of other people: the API did not filter by the email. */
  readonly discarded: number;
  /** Orders without an email: their buyer is not known. */
  readonly nameless: readonly Order[];
}

/** Sorts the orders that were requested under these spellings of an email. Ignores case. */
export function ordersOfBuyer<Order extends OrderLike>(
  orders: readonly Order[],
  spellings: readonly string[],
): BuyerOrders<Order> {
  const keys = new Set(spellings.map(buyerKey));
  const named = orders.filter(({ user_email: email }) => email?.trim());
  const own = named.filter(({ user_email: email = '' }) => keys.has(buyerKey(email)));
  return {
    own,
    discarded: named.length - own.length,
    nameless: orders.filter(({ user_email: email }) => !email?.trim()),
  };
}

const idle = new Set(['pending', 'failed']);

const isSettledLike = ({ status }: OrderLike) => !idle.has(status?.trim().toLowerCase() ?? '');

export interface JoinedOrders<Order> {
  readonly orders: readonly Order[];
  /** Why an order of the details may be missing; undefined if none is. */
  readonly problem: string | undefined;
}

/**
 * Joins the orders of the documented list with those in the details of the student. The list wins for an order in both. If no
 * id of the details is in the list, they may be ids of another kind: then only the list counts.
 */
export function joinOrders<Order extends OrderLike>(
  listed: readonly Order[],
  shown: readonly Order[],
): JoinedOrders<Order> {
  const ids = new Set(listed.flatMap(({ id }) => id ?? []));
  const extra = shown.filter(({ id }) => id === undefined || !ids.has(id));
  const settled = listed.filter(isSettledLike).length;
  const isOfOneKind = extra.length < shown.length || settled === 0;
  const sure = isOfOneKind ? extra.filter(({ id }) => id !== undefined || settled === 0) : [];
  const isShort = shown.length > settled + sure.length && extra.length > sure.length;
  const problem = `get_student_details shows ${shown.length} paid orders, list_orders only ${settled} of them`;
  return { orders: [...listed, ...sure], problem: isShort ? problem : undefined };
}
