import { productRef } from '../../../insights/sales/product-ref.ts';
import { listsProduct, type SoldOrder, saleKind } from '../../../insights/sales/sold-order.ts';

/** Undefined: it cannot be read. */
type Answer = boolean | undefined;

/** Which grant to look for. */
export interface GrantQuestion {
  readonly kind: 'course' | 'bundle';
  readonly id: number;
  readonly since: Date;
  /** For an order whose time cannot be read: whether it is missing from an earlier read of the student's orders. */
  readonly hasAppeared: (order: SoldOrder) => Answer;
}

const idle: ReadonlySet<string | undefined> = new Set(['pending', 'failed']);

/** Only an order that is known to be bought, pending or failed is not a grant. An amount of null may be a grant. */
function mayBeGrant(order: SoldOrder): boolean {
  const kind = saleKind(order);
  return (kind === 'granted' || kind === 'unreadable') && !idle.has(order.status);
}

function isRecent(order: SoldOrder, { since, hasAppeared }: GrantQuestion): Answer {
  return order.at === undefined ? hasAppeared(order) : order.at >= since.getTime();
}

/** A course in the order of a bundle is not a grant of the course. */
function listsAlone(order: SoldOrder, { kind, id }: GrantQuestion): Answer {
  const isListed = listsProduct(order, { kind, ref: productRef(kind, id) });
  const hasBundle = kind === 'course' && order.products.some((product) => product.kind === 'bundle');
  return isListed !== false && hasBundle ? false : isListed;
}

/** True if both are true. Undefined if one cannot be read and the other is not false. */
function both(one: Answer, other: Answer): Answer {
  if (one === false || other === false) return false;
  return one === undefined || other === undefined ? undefined : true;
}

export interface GrantFound {
  readonly order?: SoldOrder;
  /** An order exists that may be the grant. */
  readonly isUnclear: boolean;
}

/** Finds a recent grant of one product among a student's orders. */
export function findGrant(orders: readonly SoldOrder[], question: GrantQuestion): GrantFound {
  const judged = orders
    .filter(mayBeGrant)
    .map((order) => ({ order, answer: both(listsAlone(order, question), isRecent(order, question)) }));
  const order = judged.find(({ answer }) => answer === true)?.order;
  if (order !== undefined) return { order, isUnclear: false };
  return { isUnclear: judged.some(({ answer }) => answer === undefined) };
}
