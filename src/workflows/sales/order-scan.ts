import type { Api } from '../../api/api.ts';
import { maxConcurrentRequests } from '../../api/concurrency.ts';
import { ageOf } from '../../api/http/answer-age.ts';
import { createPages, nextPages, type Pages, remainingPages } from '../../api/pages.ts';
import { interruptionOf } from '../../api/partial-failure.ts';
import { listOrders, type OrderStatus, orderStatuses } from '../../contract/orders.ts';
import type { ParsedResponse } from '../../contract/schemas/response.ts';
import type { Period } from '../../insights/period.ts';
import { hasStatus, isInPeriod, type SaleQuestion } from '../../insights/sales/coverage-gaps.ts';
import { isKnownStatus, type SoldOrder, soldOrder } from '../../insights/sales/sold-order.ts';
import type { MirrorPart } from '../../mcp/data-mirror.ts';
import { dayMs, hourMs, minuteMs } from '../../shared/durations.ts';
import { AcademyError } from '../../shared/errors.ts';

// Reads every order of some statuses in a period: the API has no other way to answer questions about sales.

export interface ScanQuestion extends SaleQuestion {
  readonly period: Period;
}

/** The budget of a scan, and its progress callback. */
export interface ScanTerms {
  readonly api: Api;
  /** Requests that may still be sent. */
  readonly left: () => number;
  readonly progress: (done: number, total: number | undefined, message: string) => void;
  /** The server's clock. */
  readonly now: () => Date;
}

export interface OrderScan {
  /** When the first page was requested, or earlier if a cache on the way gave a page. */
  asOf(): Date;
  /** The part of the period that the mirror has. */
  readonly copied: Omit<MirrorPart, 'orders'> | undefined;
  /** Distinct orders of the period and statuses. */
  orders(): SoldOrder[];
  /** All distinct orders read, including those outside the filters. */
  all(): SoldOrder[];
  /** The question, and whether its period ends now. */
  question(): ScanQuestion;
  /** Pages read. At least `pagesLeft` pages are left; 0 if reading on would bring nothing. */
  scanned(): { pages: number; pagesLeft: number };
  /** The API ignored the bounds: these are the orders of all times. */
  isEverything(): boolean;
  isComplete(): boolean;
  /** Why the last reading ended early, other than for lack of requests. */
  stopped(): string | undefined;
  /** Reads the remaining pages, within the terms. Reads no page twice, unless the list changed meanwhile. */
  readOn(terms: ScanTerms): Promise<void>;
}

/** API document: "Limits". */
const perPage = 100;

/** `isOpen`: it ends now, and whatever is dated later belongs to it. */
type Span = Pick<Period, 'from' | 'to'> & { readonly isOpen?: boolean };

/** The precision of a bound: some platforms refuse a time of day. Every platform that accepts a time accepts whole seconds. */
type BoundForm = 'second' | 'day';

function boundText(at: number, form: BoundForm, round: (value: number) => number): string {
  const time = new Date(round(at / 1000) * 1000).toISOString();
  return form === 'day' ? time.slice(0, 10) : time.replace('.000Z', 'Z');
}

/**
 * The bounds to send, a day wider than the span at both ends: the API document does not say whether they are inclusive, whether
 * only their day counts, or in which zone. The scan drops orders outside the span.
 */
function boundsOf({ from, to, isOpen = false }: Span, form: BoundForm) {
  const before = isOpen ? {} : { created_before: boundText(to + dayMs, form, Math.ceil) };
  return from === undefined ? before : { created_after: boundText(from - dayMs, form, Math.floor), ...before };
}

/** A platform that applies a bound may be off by two days and its zone's offset. */
const maxErrorMs = 2 * dayMs + 14 * hourMs;

/** Whether an order is so far outside that the API must have ignored the bounds. */
function isFarOutside({ at }: SoldOrder, { from = Number.NEGATIVE_INFINITY, to, isOpen = false }: Span): boolean {
  return at !== undefined && (at < from - maxErrorMs || (!isOpen && at > to + maxErrorMs));
}

/** One list of orders, of one status or of all, and what has been read of it. */
interface OrderStream {
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
  /** The age of the oldest page. Milliseconds. */
  ageMs: number;
  form: BoundForm;
}

/** One list per status is less to read than all orders, unless nearly all statuses are wanted. */
function streamsFor(statuses: readonly OrderStatus[], copied: readonly SoldOrder[]): OrderStream[] {
  const lists = statuses.length >= orderStatuses.length - 1 ? (['all'] as const) : statuses;
  return lists.map((status) => ({
    status,
    copied: status === 'all' ? copied : copied.filter((order) => order.status === status),
    pages: createPages({ noun: 'orders', perPage }),
    orders: new Map(),
    counts: [],
    laterBefore: undefined,
    isSecondReading: false,
    ageMs: 0,
    form: 'second',
  }));
}

/** Distinct orders by id. */
function distinct(orders: readonly SoldOrder[]): SoldOrder[] {
  return [...new Map(orders.map((order) => [order.id, order])).values()];
}

const ordersOf = ({ copied, orders }: OrderStream): SoldOrder[] => [...copied, ...[...orders.values()].flat()];

/** Number of orders that the API showed later than the span. They may be new, and hide nothing. */
function laterThan(to: number, { orders }: OrderStream): number {
  return distinct([...orders.values()].flat()).filter(({ at }) => at !== undefined && at >= to).length;
}

/** Whether the total changed by more than the orders later than the span. */
function hasChanged(stream: OrderStream, to: number): boolean {
  const { counts } = stream;
  if (new Set(counts).size <= 1) return false;
  const later = laterThan(to, stream);
  return (counts.at(-1) ?? 0) - later !== (counts[0] ?? 0) - (stream.laterBefore ?? later);
}

/**
 * A change during reading may have moved an order to a page already read. Reads the first page again, where new orders usually
 * are. If that does not explain the change, reads the whole list again, once.
 */
function recheckChanges(stream: OrderStream, to: number): void {
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
async function readPage(stream: OrderStream, page: number, span: Span, api: Api): Promise<OrderPage | undefined> {
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

function addPage(stream: OrderStream, page: number, answer: OrderPage | undefined): void {
  const { pages, orders, counts } = stream;
  if (answer === undefined) {
    pages.refuse(page);
    return;
  }
  stream.ageMs = Math.max(stream.ageMs, ageOf(answer));
  const { items, meta } = answer;
  const { total_pages: totalPages, total_orders: total, per_page: size } = meta ?? {};
  pages.add(page, { items, totalPages, total, perPage: size });
  orders.set(page, [...(orders.get(page) ?? []), ...items.map(soldOrder)]);
  if (total !== undefined) counts.push(total);
}

function countPages(streams: readonly OrderStream[]) {
  return { pages: streams.reduce((sum, { pages }) => sum + pages.read(), 0), pagesLeft: remainingPages(streams).left };
}

function reportProgress(streams: readonly OrderStream[], { progress }: ScanTerms): void {
  const { pages, pagesLeft } = countPages(streams);
  const total = streams.every((stream) => stream.pages.isCounted()) ? pages + pagesLeft : undefined;
  progress(pages, total, `read ${pages}${total === undefined ? '' : ` of ${total}`} pages of orders`);
}

/** Returns why reading ended early, if it did. Throws if nothing was read. */
async function readPages(streams: readonly OrderStream[], span: Span, terms: ScanTerms) {
  const next = () => nextPages(streams, Math.min(maxConcurrentRequests, terms.left()));
  for (let round = next(); round.length > 0; round = next()) {
    const read = await Promise.allSettled(round.map(({ list, page }) => readPage(list, page, span, terms.api)));
    for (const [index, { list, page }] of round.entries()) {
      const result = read[index];
      if (result?.status === 'fulfilled') addPage(list, page, result.value);
    }
    const failure = read.find((result) => result.status === 'rejected');
    if (failure !== undefined && countPages(streams).pages === 0) throw failure.reason;
    if (failure !== undefined) return interruptionOf(failure.reason);
    for (const stream of streams) recheckChanges(stream, span.to);
    reportProgress(streams, terms);
  }
  return undefined;
}

/** Whether the list of one status has only orders of other statuses. */
function hidesStatus(stream: OrderStream): boolean {
  const statuses = [...stream.orders.values()].flat().filter(isKnownStatus);
  return stream.status !== 'all' && statuses.length > 0 && statuses.every(({ status }) => status !== stream.status);
}

function problemOf(streams: readonly OrderStream[], to: number): string | undefined {
  const hidden = streams.filter(hidesStatus).map(({ status }) => status);
  if (hidden.length > 0)
    return `the API ignored the status filter and showed no order of status ${hidden.join(' or ')}`;
  const isChanging = streams.some((stream) => stream.isSecondReading && hasChanged(stream, to));
  return (
    remainingPages(streams).problem ??
    (isChanging ? 'the list of orders changed while it was read; call again' : undefined)
  );
}

/** Other requests of a call may come between its question and its scan, and clocks may differ. Milliseconds. */
const untilNowMs = minuteMs;

/** Whether a period ends now, by the server's clock. */
export function endsAt(now: Date, { to }: Pick<Period, 'to'>): boolean {
  return to >= now.getTime() - untilNowMs;
}

/** A scan of a period. The API is asked for what is older than the part that the mirror has. `now`: by the server's clock. */
export function createOrderScan(request: ScanQuestion, now: Date, copied?: MirrorPart): OrderScan {
  const lists = streamsFor(request.statuses, copied?.orders ?? []);
  const streams = copied !== undefined && copied.from === undefined ? [] : lists;
  let stopped: string | undefined;
  let reading: Promise<unknown> = Promise.resolve();
  const endsNow = endsAt(now, request.period);
  let readUntil = now.getTime();
  const question = () => ({ ...request, ...(endsNow ? { futureFrom: readUntil + untilNowMs } : {}) });
  const isOpen = endsNow && copied?.from === undefined;
  const span = { from: request.period.from, to: copied?.from ?? request.period.to, isOpen };
  const problem = () => problemOf(streams, span.to);
  const isWanted = (order: SoldOrder) => isInPeriod(order, question()) === true && hasStatus(order, request.statuses);
  // An order without a status is assumed to have the requested one, if its list is for one status.
  const shown = (stream: OrderStream) =>
    ordersOf(stream).filter(({ status }) => status !== undefined || stream.status !== 'all');
  const readOn = async (terms: ScanTerms) => {
    stopped = undefined;
    stopped = await readPages(streams, span, terms);
    readUntil = Math.max(readUntil, terms.now().getTime());
  };
  return {
    asOf: () => new Date(now.getTime() - Math.max(0, ...streams.map(({ ageMs }) => ageMs))),
    copied,
    orders: () => distinct(lists.flatMap(shown)).filter(isWanted),
    all: () => distinct(lists.flatMap(ordersOf)),
    question,
    isEverything: () => streams.some((stream) => ordersOf(stream).some((order) => isFarOutside(order, span))),
    scanned: () => countPages(streams),
    isComplete: () => countPages(streams).pagesLeft === 0 && problem() === undefined,
    stopped: () => stopped ?? problem(),
    // Two calls may share a scan: the second reads what the first has left.
    readOn: (terms) => {
      const part = reading.catch(() => undefined).then(() => readOn(terms));
      reading = part;
      return part;
    },
  };
}
