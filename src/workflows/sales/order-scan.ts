import type { Api } from '../../api/api.ts';
import { ageOf } from '../../api/http/answer-facts.ts';
import { newOrderList, readOrderLists, readOrderPage } from '../../api/order-lists.ts';
import { remainingPages } from '../../api/pages.ts';
import { interruptionOf } from '../../api/partial-failure.ts';
import { type OrderStatus, orderStatuses } from '../../contract/orders.ts';
import { type Period, widerBounds } from '../../insights/period.ts';
import { hasStatus, isInPeriod, type SaleQuestion } from '../../insights/sales/coverage-gaps.ts';
import { isKnownStatus, type SoldOrder } from '../../insights/sales/sold-order.ts';
import type { MirrorPart } from '../../mcp/data-mirror.ts';
import { dayMs, hourMs, minuteMs } from '../../shared/durations.ts';

// Reads every order of some statuses in a period: the API has no other way to answer questions about sales.

interface ScanTerms {
  readonly api: Api;
  readonly left: () => number;
  readonly progress: (done: number, total: number | undefined, message: string) => void;
  readonly now: () => Date;
}

/** `isOpen`: it ends now, so orders with a later date belong to it too. */
type Span = Pick<Period, 'from' | 'to'> & { readonly isOpen?: boolean };

/** A platform that applies a bound may be off by two days and its zone's offset. */
const maxErrorMs = 2 * dayMs + 14 * hourMs;

/** Whether an order is so far outside that the API must have ignored the bounds. */
function isFarOutside({ at }: SoldOrder, { from = Number.NEGATIVE_INFINITY, to, isOpen = false }: Span): boolean {
  return at !== undefined && (at < from - maxErrorMs || (!isOpen && at > to + maxErrorMs));
}

/** One list per status is less to read than all orders, unless nearly all statuses are wanted. */
function streamsFor(statuses: readonly OrderStatus[], copied: readonly SoldOrder[]) {
  const lists = statuses.length >= orderStatuses.length - 1 ? (['all'] as const) : statuses;
  return lists.map((status) => ({
    status,
    copied: status === 'all' ? copied : copied.filter((order) => order.status === status),
    ...newOrderList(),
    /** The age of the oldest page. Milliseconds. */
    ageMs: 0,
  }));
}

type OrderStream = ReturnType<typeof streamsFor>[number];

const distinct = (orders: readonly SoldOrder[]) => [...new Map(orders.map((order) => [order.id, order])).values()];

const ordersOf = ({ copied, orders }: OrderStream): SoldOrder[] => [...copied, ...orders.values()];

async function readPage(
  stream: OrderStream,
  page: number,
  { from, to, isOpen = false }: Span,
  api: Api,
): ReturnType<typeof readOrderPage> {
  const query = { ...widerBounds({ from, to: isOpen ? undefined : to }), status: stream.status };
  // Normal priority: a person waits for the first page. Further pages are bulk.
  const answer = await readOrderPage(api, query, page, page === 1 ? {} : { priority: 'bulk' });
  if (answer !== undefined) stream.ageMs = Math.max(stream.ageMs, ageOf(answer));
  return answer;
}

function countPages(streams: readonly OrderStream[]) {
  return { pages: streams.reduce((sum, { pages }) => sum + pages.read(), 0), pagesLeft: remainingPages(streams).left };
}

function reportProgress(streams: readonly OrderStream[], { progress }: ScanTerms): void {
  const done = streams.reduce((sum, { pages }) => sum + pages.spent(), 0);
  const total = streams.every(({ pages }) => pages.isCounted()) ? done + remainingPages(streams).left : undefined;
  progress(done, total, `read ${done}${total === undefined ? '' : ` of ${total}`} pages of orders`);
}

/** Returns why reading ended early, if it did. Throws if nothing was read. */
async function readPages(streams: readonly OrderStream[], span: Span, terms: ScanTerms) {
  const failure = await readOrderLists(() => streams, {
    read: (stream, page) => readPage(stream, page, span, terms.api),
    left: terms.left,
    onRound: () => reportProgress(streams, terms),
  });
  if (failure === undefined) return undefined;
  if (countPages(streams).pages === 0) throw failure.reason;
  return interruptionOf(failure.reason);
}

/** Whether the list of one status has only orders of other statuses. */
function hidesStatus(stream: OrderStream): boolean {
  const statuses = [...stream.orders.values()].filter(isKnownStatus);
  return stream.status !== 'all' && statuses.length > 0 && statuses.every(({ status }) => status !== stream.status);
}

function scanProblem(streams: readonly OrderStream[]): string | undefined {
  const hidden = streams.filter(hidesStatus).map(({ status }) => status);
  if (hidden.length === 0) return remainingPages(streams).problem;
  return `the API ignored the status filter and showed no order of status ${hidden.join(' or ')}`;
}

/** Other requests of a call may come between its question and its scan, and clocks may differ. Milliseconds. */
const untilNowMs = minuteMs;

/** Whether a period ends now, by the server's clock. */
export function endsAt(now: Date, { to }: Pick<Period, 'to'>): boolean {
  return to >= now.getTime() - untilNowMs;
}

/** A scan of a period. The API is asked for what is older than the part that the mirror has. `now`: by the server's clock. */
export function createOrderScan(request: SaleQuestion, now: Date, copied?: MirrorPart) {
  const lists = streamsFor(request.statuses, copied?.orders ?? []);
  const streams = copied !== undefined && copied.from === undefined ? [] : lists;
  let stopped: string | undefined;
  let reading: Promise<unknown> = Promise.resolve();
  const endsNow = endsAt(now, request.period);
  let readUntil = now.getTime();
  const question = (): SaleQuestion => ({ ...request, ...(endsNow ? { futureFrom: readUntil + untilNowMs } : {}) });
  const isOpen = endsNow && copied?.from === undefined;
  const span = { from: request.period.from, to: copied?.from ?? request.period.to, isOpen };
  const problem = () => scanProblem(streams);
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
    /** When the first page was requested, or earlier if a cache on the way gave a page. */
    asOf: () => new Date(now.getTime() - Math.max(0, ...streams.map(({ ageMs }) => ageMs))),
    copied: copied as Omit<MirrorPart, 'orders'> | undefined,
    orders: () => distinct(lists.flatMap(shown)).filter(isWanted),
    /** Those outside the filters, too. */
    all: () => distinct(lists.flatMap(ordersOf)),
    question,
    /** The API ignored the bounds: these are the orders of all times. */
    isEverything: () => streams.some((stream) => ordersOf(stream).some((order) => isFarOutside(order, span))),
    /** At least `pagesLeft` pages are left; 0 if reading on would bring nothing. */
    scanned: () => countPages(streams),
    isComplete: () => countPages(streams).pagesLeft === 0 && problem() === undefined,
    /** Why the last reading ended early, other than for lack of requests. */
    stopped: () => stopped ?? problem(),
    // Two calls may share a scan: the second reads what the first has left.
    readOn: (terms: ScanTerms): Promise<void> => {
      const part = reading.catch(() => undefined).then(() => readOn(terms));
      reading = part;
      return part;
    },
  };
}

export type OrderScan = ReturnType<typeof createOrderScan>;
