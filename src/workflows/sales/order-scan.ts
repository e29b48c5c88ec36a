import type { Api } from '../../api/api.ts';
import { maxConcurrentRequests } from '../../api/concurrency.ts';
import { nextPages, remainingPages } from '../../api/pages.ts';
import { interruptionOf } from '../../api/partial-failure.ts';
import type { Period } from '../../insights/period.ts';
import { hasStatus, isInPeriod, type SaleQuestion } from '../../insights/sales/coverage-gaps.ts';
import { isKnownStatus, type SoldOrder } from '../../insights/sales/sold-order.ts';
import type { MirrorPart } from '../../mcp/data-mirror.ts';
import {
  addPage,
  hidesStatus,
  ignoredBound,
  ignoresStatus,
  isUnsteady,
  type OrderStream,
  readPage,
  recheckChanges,
  type Span,
  streamsFor,
  type TimeFilter,
} from './order-pages.ts';

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
  /** The server's clock minus ours, if known. Milliseconds. */
  readonly clockShiftMs?: (() => number) | undefined;
}

/** Orders that the API returned although the filters exclude them. */
export interface Discarded {
  readonly orders: number;
  /** Filters that the API ignored. */
  readonly filters: readonly ('status' | TimeFilter)[];
}

export interface OrderScan {
  /** When the first page was requested. */
  readonly asOf: Date;
  /** The part of the period that the mirror has. */
  readonly copied: Omit<MirrorPart, 'orders'> | undefined;
  /** Distinct orders of the period and statuses. */
  orders(): SoldOrder[];
  /** All distinct orders read, including those outside the filters. */
  all(): SoldOrder[];
  /** The question, with the end of the period by the server's clock. */
  question(): ScanQuestion;
  discarded(): Discarded;
  /** Distinct orders and pages read. At least `pagesLeft` pages are left; 0 if reading on would bring nothing. */
  scanned(): { orders: number; pages: number; pagesLeft: number };
  isComplete(): boolean;
  /** Why the last reading ended early, other than for lack of requests. */
  stopped(): string | undefined;
  /** Reads the remaining pages, within the terms. Reads no page twice, unless the list changed meanwhile. */
  readOn(terms: ScanTerms): Promise<void>;
}

type OrderFilter = (order: SoldOrder, stream: OrderStream) => boolean;

function distinct(streams: readonly OrderStream[], isWanted: OrderFilter = () => true): SoldOrder[] {
  const read = streams.flatMap((stream) =>
    [...stream.copied, ...[...stream.orders.values()].flat()].filter((order) => isWanted(order, stream)),
  );
  return [...new Map(read.map((order) => [order.id, order])).values()];
}

/** An order without a status is assumed to have the requested one, if its list is for one status. */
const isShown: OrderFilter = ({ status }, stream) => status !== undefined || stream.status !== 'all';

function countPages(streams: readonly OrderStream[]) {
  return { pages: streams.reduce((sum, { pages }) => sum + pages.read(), 0), pagesLeft: remainingPages(streams).left };
}

/** Orders within a day of the period were requested; other times and statuses were not. */
function discardedOf(streams: readonly OrderStream[], question: ScanQuestion): Discarded {
  const { statuses, period } = question;
  const isAll = streams.some(({ status }) => status === 'all');
  const isOther = (order: SoldOrder) =>
    !isAll && isKnownStatus(order) && !hasStatus(order, statuses) && isInPeriod(order, question) !== false;
  const isOutside = (order: SoldOrder) => ignoredBound(order, period) !== undefined;
  const orders = distinct(streams);
  const bounds = new Set(orders.flatMap((order) => ignoredBound(order, period) ?? []));
  const status = streams.some(ignoresStatus) ? (['status'] as const) : [];
  return {
    orders: orders.filter((order) => isOutside(order) || isOther(order)).length,
    filters: [...status, ...bounds],
  };
}

function reportProgress(streams: readonly OrderStream[], { progress }: ScanTerms): void {
  const { pages, pagesLeft } = countPages(streams);
  const total = streams.every((stream) => stream.pages.isCounted()) ? pages + pagesLeft : undefined;
  progress(pages, total, `read ${pages}${total === undefined ? '' : ` of ${total}`} pages of orders`);
}

/** Returns why reading ended early, if it did. Throws if nothing was read. */
async function readPages(streams: readonly OrderStream[], spanNow: () => Span, terms: ScanTerms) {
  const next = () => nextPages(streams, Math.min(maxConcurrentRequests, terms.left()));
  for (let round = next(); round.length > 0; round = next()) {
    const span = spanNow();
    const read = await Promise.allSettled(round.map(({ list, page }) => readPage(list, page, span, terms.api)));
    for (const [index, { list, page }] of round.entries()) {
      const result = read[index];
      if (result?.status === 'fulfilled') addPage(list, page, result.value);
    }
    const failure = read.find((result) => result.status === 'rejected');
    if (failure !== undefined && countPages(streams).pages === 0) throw failure.reason;
    if (failure !== undefined) return interruptionOf(failure.reason);
    for (const stream of streams) recheckChanges(stream, spanNow().to);
    reportProgress(streams, terms);
  }
  return undefined;
}

/** A period that ends now ends by the server's clock, so that it includes the newest orders. */
export function byServerClock({ period, ...question }: ScanQuestion, now: Date, shiftMs: number): ScanQuestion {
  const endsNow = period.to >= now.getTime() - 1_000;
  return { ...question, endsNow, period: endsNow ? { ...period, to: period.to + shiftMs } : period };
}

function problemOf(streams: readonly OrderStream[], to: number): string | undefined {
  const hidden = streams.filter(hidesStatus).map(({ status }) => status);
  if (hidden.length > 0)
    return `the API ignored the status filter and showed no order of status ${hidden.join(' or ')}`;
  const isChanging = streams.some((stream) => isUnsteady(stream, to));
  return (
    remainingPages(streams).problem ??
    (isChanging ? 'the list of orders changed while it was read; call again' : undefined)
  );
}

/** A scan of a period. The API is asked for what is older than the part that the mirror has. */
export function createOrderScan(request: ScanQuestion, now: Date, copied?: MirrorPart): OrderScan {
  const lists = streamsFor(request.statuses, copied?.orders ?? []);
  const streams = copied !== undefined && copied.from === undefined ? [] : lists;
  let stopped: string | undefined;
  let shiftMs = 0;
  let reading: Promise<unknown> = Promise.resolve();
  const question = () => byServerClock(request, now, shiftMs);
  const span = () => ({ from: request.period.from, to: copied?.from ?? question().period.to });
  const problem = () => problemOf(streams, span().to);
  const isWanted = (order: SoldOrder) => isInPeriod(order, question()) === true && hasStatus(order, request.statuses);
  const readOn = async (terms: ScanTerms) => {
    stopped = undefined;
    const spanNow = () => {
      shiftMs = terms.clockShiftMs?.() ?? shiftMs;
      return span();
    };
    spanNow();
    stopped = await readPages(streams, spanNow, terms);
  };
  return {
    asOf: now,
    copied,
    orders: () => distinct(lists, isShown).filter(isWanted),
    all: () => distinct(lists),
    question,
    discarded: () => discardedOf(streams, question()),
    scanned: () => ({ orders: distinct(lists).length, ...countPages(streams) }),
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
