import type { Api } from '../../api/api.ts';
import { createPages, type Pages } from '../../api/pages.ts';
import type { ParsedAnswer } from '../../contract/answer.ts';
import { listOrders, type OrderStatus, orderStatuses } from '../../contract/orders.ts';
import type { Period } from '../../insights/period.ts';
import { type SoldOrder, soldOrder } from '../../insights/sales/sold-order.ts';

/** API document: "Limits". */
const perPage = 100;

/** The pages of the orders of one status, or of all, as far as they have been read. */
export interface OrderStream {
  readonly status: OrderStatus | 'all';
  readonly pages: Pages;
  /** Those of each page that has been read. */
  readonly orders: Map<number, SoldOrder[]>;
  /** What the API said, page by page, of the number of orders: it must not change while they are read. */
  readonly counts: Set<number>;
  isSecondReading: boolean;
}

function newStream(status: OrderStatus | 'all'): OrderStream {
  const pages = createPages({ noun: 'orders', perPage });
  return { status, pages, orders: new Map(), counts: new Set(), isSecondReading: false };
}

/** One list for each status is less to read than all of them, unless nearly all are wanted. */
export function streamsFor(statuses: readonly OrderStatus[]): OrderStream[] {
  return statuses.length >= orderStatuses.length - 1 ? [newStream('all')] : statuses.map(newStream);
}

/** A list that changed twice while it was read is not known whole. */
export function isUnsteady({ isSecondReading, counts }: OrderStream): boolean {
  return isSecondReading && counts.size > 1;
}

/** A change while it was read may have moved an order past us: the list is read anew, once. */
export function settle(stream: OrderStream): void {
  if (stream.pages.left() > 0 || stream.counts.size < 2 || stream.isSecondReading) return;
  stream.isSecondReading = true;
  stream.pages.restart();
  stream.orders.clear();
  stream.counts.clear();
}

/** The bounds as the API takes them. It does not say whether they belong to the time: a millisecond before does no harm. */
function boundsOf({ from, to }: Period) {
  const before = new Date(to).toISOString();
  return from === undefined
    ? { created_before: before }
    : { created_after: new Date(from - 1).toISOString(), created_before: before };
}

type OrderPage = ParsedAnswer<(typeof listOrders)['response']>;

export async function readPage({ status }: OrderStream, page: number, period: Period, api: Api): Promise<OrderPage> {
  const asked = { ...boundsOf(period), status, page, per_page: perPage };
  // A person waits for the first page; the others are the long job.
  return await api.call(listOrders, asked, page === 1 ? {} : { priority: 'bulk' });
}

export function addPage({ pages, orders, counts }: OrderStream, page: number, { items, meta }: OrderPage): void {
  pages.add(page, { items, totalPages: meta?.total_pages });
  orders.set(page, items.map(soldOrder));
  if (meta?.total_orders !== undefined) counts.add(meta.total_orders);
}
