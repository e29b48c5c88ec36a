import type { Api } from '../../api/api.ts';
import { createPages, type Pages } from '../../api/pages.ts';
import { listOrders, type OrderStatus, orderStatuses } from '../../contract/orders.ts';
import type { ParsedResponse } from '../../contract/schemas/response.ts';
import { isKnownStatus, type SoldOrder, soldOrder } from '../../insights/sales/sold-order.ts';
import { AcademyError } from '../../shared/errors.ts';
import { type BoundForm, boundForms, boundsOf, type Window } from './order-bounds.ts';

/** API document: "Limits". */
const perPage = 100;

/** What has been read of one list of orders: one status, or all. */
export interface OrderStream {
  readonly status: OrderStatus | 'all';
  /** The end of the period that this list reads again; undefined for the period itself. */
  readonly edge: Window | undefined;
  readonly pages: Pages;
  /** Orders by page. */
  readonly orders: Map<number, SoldOrder[]>;
  /** The total number of orders in each response: it must not change while the list is read. */
  readonly counts: number[];
  /** Number of orders on the first page that are later than the period. */
  laterAtFirst: number;
  /** The first page was read again, to find new orders. */
  isRefreshed: boolean;
  isSecondReading: boolean;
  form: BoundForm;
}

function newStream(status: OrderStatus | 'all', edge?: Window): OrderStream {
  const pages = createPages({ noun: 'orders', perPage });
  const state = { laterAtFirst: 0, isRefreshed: false, isSecondReading: false, form: boundForms[0] };
  return { status, edge, pages, orders: new Map(), counts: [], ...state };
}

/** One list per status is less to read than all orders, unless nearly all statuses are wanted. */
export function streamsFor(statuses: readonly OrderStatus[]): OrderStream[] {
  const isNearlyAll = statuses.length >= orderStatuses.length - 1;
  return isNearlyAll ? [newStream('all')] : statuses.map((status) => newStream(status));
}

/** One list for an end of the period, for all wanted statuses. */
export function edgeStream(statuses: readonly OrderStatus[], edge: Window): OrderStream {
  const [only, ...others] = statuses;
  return newStream(only === undefined || others.length > 0 ? 'all' : only, edge);
}

function laterThan(to: number, orders: Iterable<SoldOrder>): number {
  const later = [...orders].filter(({ at }) => at !== undefined && at >= to);
  return new Set(later.map(({ id }) => id)).size;
}

const ordersOf = ({ orders }: OrderStream): SoldOrder[] => [...orders.values()].flat();

/** Whether the total changed by more than the orders later than the period, which hide nothing. */
function hasChanged(stream: OrderStream, to: number): boolean {
  const { counts, laterAtFirst } = stream;
  const [first = 0, last = 0] = [counts[0], counts.at(-1)];
  return new Set(counts).size > 1 && last - laterThan(to, ordersOf(stream)) !== first - laterAtFirst;
}

/** Whether the list changed during both readings, so that orders may be missing. */
export function isUnsteady(stream: OrderStream, to: number): boolean {
  return stream.isSecondReading && hasChanged(stream, to);
}

export function restart(stream: OrderStream): void {
  stream.pages.restart();
  stream.orders.clear();
  stream.counts.length = 0;
  stream.isRefreshed = false;
}

/**
 * A change during reading may have moved an order to a page already read. Reads the first page again, where new orders usually
 * are. If that does not explain the change, reads the whole list again, once.
 */
export function recheckChanges(stream: OrderStream, to: number): void {
  if (stream.pages.left() > 0) return;
  const isChanged = hasChanged(stream, to);
  if (isChanged && !stream.isRefreshed) {
    stream.isRefreshed = true;
    stream.pages.reopen(1);
  } else if ((isChanged || stream.pages.isFewer()) && !stream.isSecondReading) {
    restart(stream);
    stream.isSecondReading = true;
  }
}

type OrderPage = ParsedResponse<(typeof listOrders)['response']>;

/** Reads the first page. If the API refuses the bounds, retries with the next form. */
async function firstPage(stream: OrderStream, window: Window, api: Api): Promise<OrderPage> {
  const query = { ...boundsOf(stream.edge ?? window, stream.form), status: stream.status, page: 1, per_page: perPage };
  try {
    // Normal priority: a person waits for the first page. Further pages are bulk.
    return await api.call(listOrders, query);
  } catch (error) {
    const next = boundForms[boundForms.indexOf(stream.form) + 1];
    if (!(error instanceof AcademyError && error.code === 'unprocessable') || next === undefined) throw error;
    stream.form = next;
    return await firstPage(stream, window, api);
  }
}

const afterLastPage: ReadonlySet<string> = new Set(['not_found', 'unprocessable']);

/** Reads a page; undefined if the API refuses it, which happens after the last page. */
export async function readPage(
  stream: OrderStream,
  page: number,
  window: Window,
  api: Api,
): Promise<OrderPage | undefined> {
  if (page === 1) return await firstPage(stream, window, api);
  const query = { ...boundsOf(stream.edge ?? window, stream.form), status: stream.status, page, per_page: perPage };
  return await api.call(listOrders, query, { priority: 'bulk' }).catch((error: unknown) => {
    if (error instanceof AcademyError && afterLastPage.has(error.code)) return undefined;
    throw error;
  });
}

/** `to`: the end of the period. */
export function addPage(stream: OrderStream, page: number, answer: OrderPage | undefined, to: number): void {
  const { pages, orders, counts } = stream;
  if (answer === undefined) {
    pages.refuse(page);
    return;
  }
  const { items, meta } = answer;
  const { total_pages: totalPages, total_orders: total, per_page: size } = meta ?? {};
  pages.add(page, { items, totalPages, total, perPage: size });
  const read = items.map(soldOrder);
  if (page === 1 && !orders.has(1)) stream.laterAtFirst = laterThan(to, read);
  orders.set(page, [...(orders.get(page) ?? []), ...read]);
  if (total !== undefined) counts.push(total);
}

/** Whether the list of one status has orders of other statuses. */
export function ignoresStatus(stream: OrderStream): boolean {
  const isOther = (order: SoldOrder) => isKnownStatus(order) && order.status !== stream.status;
  return stream.status !== 'all' && ordersOf(stream).some(isOther);
}

/** Whether the list of one status has only orders of other statuses. */
export function hidesStatus(stream: OrderStream): boolean {
  return ignoresStatus(stream) && !ordersOf(stream).some(({ status }) => status === stream.status);
}
