import type { Api } from '../../api/api.ts';
import { createPages, type Pages } from '../../api/pages.ts';
import { listOrders, type OrderStatus, orderStatuses } from '../../contract/orders.ts';
import type { ParsedResponse } from '../../contract/schemas/response.ts';
import { isKnownStatus, type SoldOrder, soldOrder } from '../../insights/sales/sold-order.ts';
import { AcademyError } from '../../shared/errors.ts';
import { type BoundForm, boundForms, boundsOf, type Window } from './order-bounds.ts';

/** API document: "Limits". */
const perPage = 100;

/** The pages of the orders of one status, or of all, as far as they have been read. */
export interface OrderStream {
  readonly status: OrderStatus | 'all';
  /** The end of a period that this list was asked for once more; undefined where it is the period itself. */
  readonly edge: Window | undefined;
  readonly pages: Pages;
  /** Those of each page that has been read. */
  readonly orders: Map<number, SoldOrder[]>;
  /** What the API said of the number of orders, answer by answer: it must not change while they are read. */
  readonly counts: number[];
  /** How many of the orders on the first answer came to be after the question. */
  laterAtFirst: number;
  /** The first page was read once more, to see what came meanwhile. */
  isRefreshed: boolean;
  isSecondReading: boolean;
  form: BoundForm;
}

function newStream(status: OrderStatus | 'all', edge?: Window): OrderStream {
  const pages = createPages({ noun: 'orders', perPage });
  const state = { laterAtFirst: 0, isRefreshed: false, isSecondReading: false, form: boundForms[0] };
  return { status, edge, pages, orders: new Map(), counts: [], ...state };
}

/** One list for each status is less to read than all of them, unless nearly all are wanted. */
export function streamsFor(statuses: readonly OrderStatus[]): OrderStream[] {
  const isNearlyAll = statuses.length >= orderStatuses.length - 1;
  return isNearlyAll ? [newStream('all')] : statuses.map((status) => newStream(status));
}

/** One list for the end of a period, of all statuses that are wanted. */
export function edgeStream(statuses: readonly OrderStatus[], edge: Window): OrderStream {
  const [only, ...others] = statuses;
  return newStream(only === undefined || others.length > 0 ? 'all' : only, edge);
}

function laterThan(to: number, orders: Iterable<SoldOrder>): number {
  const later = [...orders].filter(({ at }) => at !== undefined && at >= to);
  return new Set(later.map(({ id }) => id)).size;
}

const ordersOf = ({ orders }: OrderStream): SoldOrder[] => [...orders.values()].flat();

/** Whether the number of orders changed by others than those that came to be after the question: these move nothing out of sight. */
function hasChanged(stream: OrderStream, to: number): boolean {
  const { counts, laterAtFirst } = stream;
  const [first = 0, last = 0] = [counts[0], counts.at(-1)];
  return new Set(counts).size > 1 && last - laterThan(to, ordersOf(stream)) !== first - laterAtFirst;
}

/** A list that changed twice while it was read is not known whole. */
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
 * A change while it was read may have moved an order past us. The first page is read once more, since what is new stands there
 * mostly; where that does not explain the change, the whole list is, once.
 */
export function settle(stream: OrderStream, to: number): void {
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

/** Where the API refuses the bounds, they are written in the next form. */
async function firstPage(stream: OrderStream, window: Window, api: Api): Promise<OrderPage> {
  const asked = { ...boundsOf(stream.edge ?? window, stream.form), status: stream.status, page: 1, per_page: perPage };
  try {
    // A person waits for the first page; the others are the long job.
    return await api.call(listOrders, asked);
  } catch (error) {
    const next = boundForms[boundForms.indexOf(stream.form) + 1];
    if (!(error instanceof AcademyError && error.code === 'unprocessable') || next === undefined) throw error;
    stream.form = next;
    return await firstPage(stream, window, api);
  }
}

const beyond: ReadonlySet<string> = new Set(['not_found', 'unprocessable']);

/** A page, or undefined where the API refuses one that may lie beyond the last. */
export async function readPage(
  stream: OrderStream,
  page: number,
  window: Window,
  api: Api,
): Promise<OrderPage | undefined> {
  if (page === 1) return await firstPage(stream, window, api);
  const asked = { ...boundsOf(stream.edge ?? window, stream.form), status: stream.status, page, per_page: perPage };
  return await api.call(listOrders, asked, { priority: 'bulk' }).catch((error: unknown) => {
    if (error instanceof AcademyError && beyond.has(error.code)) return undefined;
    throw error;
  });
}

/** `to`: when the period ends. */
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

/** Whether the list of one status brought orders of others. */
export function ignoresStatus(stream: OrderStream): boolean {
  const isOther = (order: SoldOrder) => isKnownStatus(order) && order.status !== stream.status;
  return stream.status !== 'all' && ordersOf(stream).some(isOther);
}

/** Whether the API showed others where orders of one status were asked for, and none of that status. */
export function hidesStatus(stream: OrderStream): boolean {
  return ignoresStatus(stream) && !ordersOf(stream).some(({ status }) => status === stream.status);
}
