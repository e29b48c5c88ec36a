import type { Api } from '../../api/api.ts';
import { maxConcurrentRequests } from '../../api/concurrency.ts';
import { nextPages, remainingPages } from '../../api/pages.ts';
import { interruptionOf } from '../../api/partial-failure.ts';
import type { Period } from '../../insights/period.ts';
import { hasStatus, isInPeriod, type SaleQuestion } from '../../insights/sales/coverage-gaps.ts';
import { isKnownStatus, type SoldOrder } from '../../insights/sales/sold-order.ts';
import { edgesOf, ignoredBound, mainWindow, type TimeFilter } from './order-bounds.ts';
import {
  addPage,
  edgeStream,
  hidesStatus,
  ignoresStatus,
  isUnsteady,
  type OrderStream,
  readPage,
  recheckChanges,
  streamsFor,
} from './order-pages.ts';
import type { ScannedMirror } from './scanned-mirror.ts';

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
  /** The mirror behind a scan that sends no request. */
  readonly mirror?: ScannedMirror;
}

type OrderFilter = (order: SoldOrder, stream: OrderStream) => boolean;

function distinct(streams: readonly OrderStream[], isWanted: OrderFilter = () => true): SoldOrder[] {
  const read = streams.flatMap((stream) =>
    [...stream.orders.values()].flat().filter((order) => isWanted(order, stream)),
  );
  return [...new Map(read.map((order) => [order.id, order])).values()];
}

/** An order without a status is assumed to have the requested one, if its list is for one status. */
const isShown: OrderFilter = ({ status }, stream) => status !== undefined || stream.status !== 'all';

function countPages(streams: readonly OrderStream[]) {
  return { pages: streams.reduce((sum, { pages }) => sum + pages.read(), 0), pagesLeft: remainingPages(streams).left };
}

/** Orders within a day of the period were requested; other times and statuses were not. */
function discardedOf(streams: readonly OrderStream[], { statuses, period }: ScanQuestion): Discarded {
  const orders = distinct(streams);
  const main = new Set(distinct(streams.filter(({ edge }) => edge === undefined)));
  const bounds = orders.flatMap(({ at }) => (at === undefined ? [] : [ignoredBound(at, period)]));
  const ignored = new Set(bounds.filter((bound) => bound !== undefined));
  const isOutside = ({ at }: SoldOrder) => at !== undefined && ignoredBound(at, period) !== undefined;
  const isAll = streams.some(({ status, edge }) => status === 'all' && edge === undefined);
  const isOther = (order: SoldOrder) =>
    !isAll && main.has(order) && isKnownStatus(order) && !hasStatus(order, statuses);
  const unwanted = orders.filter((order) => isOutside(order) || isOther(order));
  const status = streams.some(ignoresStatus) ? (['status'] as const) : [];
  return { orders: unwanted.length, filters: [...status, ...ignored] };
}

function reportProgress(streams: readonly OrderStream[], { progress }: ScanTerms): void {
  const { pages, pagesLeft } = countPages(streams);
  const total = streams.every((stream) => stream.pages.isCounted()) ? pages + pagesLeft : undefined;
  progress(pages, total, `read ${pages}${total === undefined ? '' : ` of ${total}`} pages of orders`);
}

/** Returns why reading ended early, if it did. Throws if nothing was read. */
async function readPages(streams: readonly OrderStream[], question: () => ScanQuestion, terms: ScanTerms) {
  const next = () => nextPages(streams, Math.min(maxConcurrentRequests, terms.left()));
  for (let round = next(); round.length > 0; round = next()) {
    const window = mainWindow(question());
    const read = await Promise.allSettled(round.map(({ list, page }) => readPage(list, page, window, terms.api)));
    for (const [index, { list, page }] of round.entries()) {
      const result = read[index];
      if (result?.status === 'fulfilled') addPage(list, page, result.value, question().period.to);
    }
    const failure = read.find((result) => result.status === 'rejected');
    if (failure !== undefined && countPages(streams).pages === 0) throw failure.reason;
    if (failure !== undefined) return interruptionOf(failure.reason);
    for (const stream of streams) recheckChanges(stream, question().period.to);
    reportProgress(streams, terms);
  }
  return undefined;
}

/** The times of the orders in the period, of any status. */
function timesOf(streams: readonly OrderStream[], question: ScanQuestion): number[] {
  const inPeriod = distinct(streams).filter((order) => isInPeriod(order, question) === true);
  return inPeriod.flatMap(({ at }) => (at === undefined ? [] : [at]));
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

export function createOrderScan(request: ScanQuestion, now: Date): OrderScan {
  const streams = streamsFor(request.statuses);
  let hasEdges = false;
  let stopped: string | undefined;
  let shiftMs = 0;
  const question = () => byServerClock(request, now, shiftMs);
  const problem = () => problemOf(streams, question().period.to);
  const isWanted = (order: SoldOrder) => isInPeriod(order, question()) === true && hasStatus(order, request.statuses);
  return {
    asOf: now,
    orders: () => distinct(streams, isShown).filter(isWanted),
    all: () => distinct(streams),
    question,
    discarded: () => discardedOf(streams, question()),
    scanned: () => ({ orders: distinct(streams).length, ...countPages(streams) }),
    isComplete: () => countPages(streams).pagesLeft === 0 && problem() === undefined,
    stopped: () => stopped ?? problem(),
    readOn: async (terms) => {
      stopped = undefined;
      const now = () => {
        shiftMs = terms.clockShiftMs?.() ?? shiftMs;
        return question();
      };
      stopped = await readPages(streams, now, terms);
      if (hasEdges || stopped !== undefined || countPages(streams).pagesLeft > 0) return;
      hasEdges = true;
      streams.push(...edgesOf(now(), timesOf(streams, now())).map((edge) => edgeStream(request.statuses, edge)));
      stopped = await readPages(streams, now, terms);
    },
  };
}
