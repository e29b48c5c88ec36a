import type { Api } from '../../api/api.ts';
import { createPages, type Pages } from '../../api/pages.ts';
import { listOrders, type OrderStatus, orderStatuses } from '../../contract/orders.ts';
import type { ParsedResponse } from '../../contract/schemas/response.ts';
import type { Period } from '../../insights/period.ts';
import { isKnownStatus, type SoldOrder, soldOrder } from '../../insights/sales/sold-order.ts';
import { dayMs, hourMs } from '../../shared/durations.ts';
import { AcademyError } from '../../shared/errors.ts';

/** API document: "Limits". */
const perPage = 100;

export type Span = Pick<Period, 'from' | 'to'>;

/** The precision of a bound: some platforms refuse a time of day. Every platform that accepts a time accepts whole seconds. */
type BoundForm = 'second' | 'day';

function boundText(at: number, form: BoundForm, round: (value: number) => number): string {
  const time = new Date(round(at / 1000) * 1000).toISOString();
  return form === 'day' ? time.slice(0, 10) : time.replace('.000Z', 'Z');
}

/**
 * The bounds to send, a day wider than the span at both ends: the API document does not say whether they are inclusive, whether
 * only their day counts, or in which zone. The caller drops orders outside the span.
 */
function boundsOf({ from, to }: Span, form: BoundForm) {
  const before = { created_before: boundText(to + dayMs, form, Math.ceil) };
  return from === undefined ? before : { created_after: boundText(from - dayMs, form, Math.floor), ...before };
}

/** A platform that applies a bound may be off by two days and its zone's offset; an order further away shows that it ignores it. */
const maxErrorMs = 2 * dayMs + 14 * hourMs;

export type TimeFilter = 'created_after' | 'created_before';

/** The bound that the API must have ignored to return an order of this time. */
export function ignoredBound({ at }: SoldOrder, { from, to }: Span): TimeFilter | undefined {
  if (at === undefined) return undefined;
  if (from !== undefined && at < from - maxErrorMs) return 'created_after';
  return at > to + maxErrorMs ? 'created_before' : undefined;
}

/** One list of orders, of one status or of all, and what has been read of it. */
export interface OrderStream {
  readonly status: OrderStatus | 'all';
  /** Its orders from the mirror. */
  readonly copied: readonly SoldOrder[];
  readonly pages: Pages;
  /** Orders by page. */
  readonly orders: Map<number, SoldOrder[]>;
  /** The total number of orders in each response: it must not change while the list is read. */
  readonly counts: number[];
  /** Number of orders later than the span before the first page was read again; undefined: it was not. */
  laterBefore: number | undefined;
  isSecondReading: boolean;
  form: BoundForm;
}

/** One list per status is less to read than all orders, unless nearly all statuses are wanted. */
export function streamsFor(statuses: readonly OrderStatus[], copied: readonly SoldOrder[]): OrderStream[] {
  const lists = statuses.length >= orderStatuses.length - 1 ? (['all'] as const) : statuses;
  return lists.map((status) => ({
    status,
    copied: status === 'all' ? copied : copied.filter((order) => order.status === status),
    pages: createPages({ noun: 'orders', perPage }),
    orders: new Map(),
    counts: [],
    laterBefore: undefined,
    isSecondReading: false,
    form: 'second',
  }));
}

const ordersOf = ({ orders }: OrderStream): SoldOrder[] => [...orders.values()].flat();

/** Number of orders later than the span. They may be new, and hide nothing. */
function laterThan(to: number, stream: OrderStream): number {
  const later = ordersOf(stream).filter(({ at }) => at !== undefined && at >= to);
  return new Set(later.map(({ id }) => id)).size;
}

/** Whether the total changed by more than the orders later than the span. */
function hasChanged(stream: OrderStream, to: number): boolean {
  const { counts } = stream;
  const [first = 0, last = 0] = [counts[0], counts.at(-1)];
  const later = laterThan(to, stream);
  return new Set(counts).size > 1 && last - later !== first - (stream.laterBefore ?? later);
}

/** Whether the list changed during both readings, so that orders may be missing. */
export function isUnsteady(stream: OrderStream, to: number): boolean {
  return stream.isSecondReading && hasChanged(stream, to);
}

/**
 * A change during reading may have moved an order to a page already read. Reads the first page again, where new orders usually
 * are. If that does not explain the change, reads the whole list again, once.
 */
export function recheckChanges(stream: OrderStream, to: number): void {
  if (stream.pages.left() > 0) return;
  const isChanged = hasChanged(stream, to);
  if (isChanged && stream.laterBefore === undefined) {
    stream.laterBefore = laterThan(to, stream);
    stream.pages.reopen(1);
  } else if ((isChanged || stream.pages.isFewer()) && !stream.isSecondReading) {
    stream.pages.restart();
    stream.orders.clear();
    stream.counts.length = 0;
    stream.laterBefore = undefined;
    stream.isSecondReading = true;
  }
}

type OrderPage = ParsedResponse<(typeof listOrders)['response']>;

const afterLastPage: ReadonlySet<string> = new Set(['not_found', 'unprocessable']);

/** Reads a page; undefined if the API refuses it, which happens after the last page. If it refuses times, sends days. */
export async function readPage(
  stream: OrderStream,
  page: number,
  span: Span,
  api: Api,
): Promise<OrderPage | undefined> {
  const query = { ...boundsOf(span, stream.form), status: stream.status, page, per_page: perPage };
  try {
    // Normal priority: a person waits for the first page. Further pages are bulk.
    return await api.call(listOrders, query, page === 1 ? {} : { priority: 'bulk' });
  } catch (error) {
    if (!(error instanceof AcademyError)) throw error;
    if (page > 1 && afterLastPage.has(error.code)) return undefined;
    if (page > 1 || error.code !== 'unprocessable' || stream.form === 'day') throw error;
    stream.form = 'day';
    return await readPage(stream, page, span, api);
  }
}

export function addPage({ pages, orders, counts }: OrderStream, page: number, answer: OrderPage | undefined): void {
  if (answer === undefined) {
    pages.refuse(page);
    return;
  }
  const { items, meta } = answer;
  const { total_pages: totalPages, total_orders: total, per_page: size } = meta ?? {};
  pages.add(page, { items, totalPages, total, perPage: size });
  orders.set(page, [...(orders.get(page) ?? []), ...items.map(soldOrder)]);
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
