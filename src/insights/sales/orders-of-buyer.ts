import { buyerKey } from './sold-order.ts';

// Which of the orders that the API sent are those of one student. Each is named once.

interface OrderLike {
  readonly id?: string | undefined;
  readonly user_email?: string | undefined;
  readonly status?: string | undefined;
}

export interface OwnOrders<Order> {
  readonly own: readonly Order[];
  /** Orders of other people: the API did not filter by the email. */
  readonly discarded: number;
  /** Orders without an email: whose they are cannot be told. */
  readonly nameless: readonly Order[];
}

/** Sorts what was asked for under these spellings of an email; capitals do not count. */
export function ownOrders<Order extends OrderLike>(
  orders: readonly Order[],
  spellings: readonly string[],
): OwnOrders<Order> {
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
  /** Why one that the details show may be missing; undefined where none is. */
  readonly problem: string | undefined;
}

/**
 * Joins the orders of the documented list with those that the details of the student show. An order of both is that of the list.
 * Where no id of the details is one of the list, they may be ids of another kind: then the list alone counts.
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
  const problem = `get_student_details shows ${shown.length} paid orders, of which list_orders shows ${settled}`;
  return { orders: [...listed, ...sure], problem: isShort ? problem : undefined };
}
