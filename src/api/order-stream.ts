import { listOrders, type OrderStatus, orderStatuses } from '../contract/orders.ts';
import type { Period } from '../insights/period.ts';
import { type SoldOrder, soldOrder } from '../insights/sold-order.ts';
import type { Api } from './client.ts';

/** API document: "Limits". */
const perPage = 100;

/** The pages of the orders of one status, or of all, as far as they have been read. */
export interface OrderStream {
  readonly status: OrderStatus | 'all';
  readonly pages: Map<number, SoldOrder[]>;
  /** Number of the last page, once it is known. */
  last: number | undefined;
  /** What the API said, page by page, of the number of orders: it must not change while they are read. */
  readonly counts: Set<number>;
  isSecondReading: boolean;
}

function newStream(status: OrderStatus | 'all'): OrderStream {
  return { status, pages: new Map(), last: undefined, counts: new Set(), isSecondReading: false };
}

/** One list for each status is less to read than all of them, unless nearly all are wanted. */
export function streamsFor(statuses: readonly OrderStatus[]): OrderStream[] {
  return statuses.length >= orderStatuses.length - 1 ? [newStream('all')] : statuses.map(newStream);
}

/** Pages that are known to be there and have not been read. */
export function missingPages({ pages, last }: OrderStream): number[] {
  if (last === undefined) return [pages.size + 1];
  return Array.from({ length: last }, (_, index) => index + 1).filter((page) => !pages.has(page));
}

/** A list that changed twice while it was read is not known whole. */
export function isUnsteady({ isSecondReading, counts }: OrderStream): boolean {
  return isSecondReading && counts.size > 1;
}

/** A change while it was read may have moved an order past us: the list is read anew, once. */
export function settle(stream: OrderStream): void {
  const isRead = stream.last !== undefined && missingPages(stream).length === 0;
  if (!isRead || stream.counts.size < 2 || stream.isSecondReading) return;
  stream.isSecondReading = true;
  stream.pages.clear();
  stream.counts.clear();
  stream.last = undefined;
}

/** The bounds as the API takes them. It does not say whether they belong to the time: a millisecond before does no harm. */
function boundsOf({ from, to }: Period) {
  const before = new Date(to).toISOString();
  return from === undefined
    ? { created_before: before }
    : { created_after: new Date(from - 1).toISOString(), created_before: before };
}

export async function readPage(stream: OrderStream, page: number, period: Period, api: Api): Promise<void> {
  const asked = { ...boundsOf(period), status: stream.status, page, per_page: perPage };
  // A person waits for the first page; the others are the long job.
  const { items, meta } = await api.call(listOrders, asked, page === 1 ? {} : { priority: 'bulk' });
  stream.pages.set(page, items.map(soldOrder));
  if (meta?.total_orders !== undefined) stream.counts.add(meta.total_orders);
  const isLast = items.length < perPage;
  stream.last = meta?.total_pages ?? (isLast ? page : undefined);
}
