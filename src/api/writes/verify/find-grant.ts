import { productRef } from '../../../insights/sales/product-ref.ts';
import { listsProduct, type SoldOrder, saleKind, soldOrder } from '../../../insights/sales/sold-order.ts';
import type { OrderRecord } from '../../student-orders.ts';

/** Whether something is so; undefined where it cannot be read. */
type Answer = boolean | undefined;

/** What a grant must be like to be the one that was asked for. */
export interface GrantQuestion {
  readonly kind: 'course' | 'bundle';
  readonly id: number;
  readonly since: Date;
  /** Whether an order whose time cannot be read is one that was not there when its student was looked at before. */
  readonly hasAppeared: (order: SoldOrder) => Answer;
}

const idle: ReadonlySet<string | undefined> = new Set(['pending', 'failed']);

/** Only what is known to be bought, pending or failed is no grant: a null for an amount may well be one. */
function mayBeGrant(order: SoldOrder): boolean {
  const kind = saleKind(order);
  return (kind === 'granted' || kind === 'unreadable') && !idle.has(order.status);
}

function isRecent(order: SoldOrder, { since, hasAppeared }: GrantQuestion): Answer {
  return order.at === undefined ? hasAppeared(order) : order.at >= since.getTime();
}

/** One that came with a bundle is not the course's. */
function listsAlone(order: SoldOrder, { kind, id }: GrantQuestion): Answer {
  const isListed = listsProduct(order, { kind, ref: productRef(kind, id) });
  const hasBundle = kind === 'course' && order.products.some((product) => product.kind === 'bundle');
  return isListed !== false && hasBundle ? false : isListed;
}

/** All must be so; one that cannot be read leaves it open where the others are. */
function both(one: Answer, other: Answer): Answer {
  if (one === false || other === false) return false;
  return one === undefined || other === undefined ? undefined : true;
}

export interface GrantFound {
  readonly order?: SoldOrder;
  /** An order is there of which it cannot be told. */
  readonly isUnclear: boolean;
}

/** Looks among the orders of a student for a young grant of one product. */
export function findGrant(orders: readonly OrderRecord[], question: GrantQuestion): GrantFound {
  const judged = orders
    .map(soldOrder)
    .filter(mayBeGrant)
    .map((order) => ({ order, answer: both(listsAlone(order, question), isRecent(order, question)) }));
  const order = judged.find(({ answer }) => answer === true)?.order;
  if (order !== undefined) return { order, isUnclear: false };
  return { isUnclear: judged.some(({ answer }) => answer === undefined) };
}
