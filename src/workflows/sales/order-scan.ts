import type { Api } from '../../api/api.ts';
import { atOnce } from '../../api/concurrency.ts';
import { nextRound, reached } from '../../api/pages.ts';
import { stoppedBy } from '../../api/partial-failure.ts';
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
  settle,
  streamsFor,
} from './order-pages.ts';

// Every order of some statuses in a period: the API has no other way to answer questions about sales.

export interface ScanQuestion extends SaleQuestion {
  readonly period: Period;
}

/** What a scan may still cost, and whom it tells how far it has come. */
export interface ScanTerms {
  readonly api: Api;
  /** Requests that may still be sent. */
  readonly left: () => number;
  readonly progress: (done: number, total: number | undefined, message: string) => void;
  /** What to add to a time of ours to have the server's, as far as it is known. Milliseconds. */
  readonly clockShiftMs?: (() => number) | undefined;
}

/** What came although it was not asked for. */
export interface Discarded {
  readonly orders: number;
  /** Filters that the API evidently ignored. */
  readonly filters: readonly ('status' | TimeFilter)[];
}

export interface OrderScan {
  /** When its first page was asked for. */
  readonly asOf: Date;
  /** Distinct orders of the period and statuses. */
  orders(): SoldOrder[];
  /** All distinct orders that were read, also those that were not asked for. */
  all(): SoldOrder[];
  /** The question, with the end of its period by the server's clock. */
  question(): ScanQuestion;
  discarded(): Discarded;
  /** Distinct orders read, and pages; at least `pagesLeft` are left. None is left where reading on would bring no more. */
  scanned(): { orders: number; pages: number; pagesLeft: number };
  isComplete(): boolean;
  /** Why the last reading ended before the end, where it was not for want of requests. */
  stopped(): string | undefined;
  /** Reads what has not been read, as far as the terms allow. No page is read twice, unless the list changed meanwhile. */
  readOn(terms: ScanTerms): Promise<void>;
}

type IsTaken = (order: SoldOrder, stream: OrderStream) => boolean;

function distinct(streams: readonly OrderStream[], isTaken: IsTaken = () => true): SoldOrder[] {
  const read = streams.flatMap((stream) =>
    [...stream.orders.values()].flat().filter((order) => isTaken(order, stream)),
  );
  return [...new Map(read.map((order) => [order.id, order])).values()];
}

/** An order that shows no status is believed to be of the one that was asked for, where one was. */
const isShown: IsTaken = ({ status }, stream) => status !== undefined || stream.status !== 'all';

function countPages(streams: readonly OrderStream[]) {
  return { pages: streams.reduce((sum, { pages }) => sum + pages.read(), 0), pagesLeft: reached(streams).left };
}

/** What a platform brings from the day around the period was asked for; anything else of another time or status was not. */
function discardedOf(streams: readonly OrderStream[], { statuses, period }: ScanQuestion): Discarded {
  const orders = distinct(streams);
  const main = new Set(distinct(streams.filter(({ edge }) => edge === undefined)));
  const bounds = orders.flatMap(({ at }) => (at === undefined ? [] : [ignoredBound(at, period)]));
  const ignored = new Set(bounds.filter((bound) => bound !== undefined));
  const isFarOff = ({ at }: SoldOrder) => at !== undefined && ignoredBound(at, period) !== undefined;
  const isAll = streams.some(({ status, edge }) => status === 'all' && edge === undefined);
  const isOther = (order: SoldOrder) =>
    !isAll && main.has(order) && isKnownStatus(order) && !hasStatus(order, statuses);
  const strays = orders.filter((order) => isFarOff(order) || isOther(order));
  const status = streams.some(ignoresStatus) ? (['status'] as const) : [];
  return { orders: strays.length, filters: [...status, ...ignored] };
}

function tell(streams: readonly OrderStream[], { progress }: ScanTerms): void {
  const { pages, pagesLeft } = countPages(streams);
  const total = streams.every((stream) => stream.pages.isCounted()) ? pages + pagesLeft : undefined;
  progress(pages, total, `read ${pages}${total === undefined ? '' : ` of ${total}`} pages of orders`);
}

/** Why it ended early, where it did. Throws where nothing has been read that would be worth an answer. */
async function readPages(streams: readonly OrderStream[], question: () => ScanQuestion, terms: ScanTerms) {
  const next = () => nextRound(streams, Math.min(atOnce, terms.left()));
  for (let round = next(); round.length > 0; round = next()) {
    const window = mainWindow(question());
    const read = await Promise.allSettled(round.map(({ list, page }) => readPage(list, page, window, terms.api)));
    for (const [index, { list, page }] of round.entries()) {
      const result = read[index];
      if (result?.status === 'fulfilled') addPage(list, page, result.value, question().period.to);
    }
    const failure = read.find((result) => result.status === 'rejected');
    if (failure !== undefined && countPages(streams).pages === 0) throw failure.reason;
    if (failure !== undefined) return stoppedBy(failure.reason);
    for (const stream of streams) settle(stream, question().period.to);
    tell(streams, terms);
  }
  return undefined;
}

/** When the orders of the period came to be, of whatever status. */
function timesOf(streams: readonly OrderStream[], question: ScanQuestion): number[] {
  const inPeriod = distinct(streams).filter((order) => isInPeriod(order, question) === true);
  return inPeriod.flatMap(({ at }) => (at === undefined ? [] : [at]));
}

/** A period that ends now ends by the clock of the server, so that its newest orders belong to it. */
function byServerClock({ period, ...question }: ScanQuestion, now: Date, shiftMs: number): ScanQuestion {
  const endsNow = period.to >= now.getTime() - 1_000;
  return { ...question, endsNow, period: endsNow ? { ...period, to: period.to + shiftMs } : period };
}

function problemOf(streams: readonly OrderStream[], to: number): string | undefined {
  const hidden = streams.filter(hidesStatus).map(({ status }) => status);
  if (hidden.length > 0)
    return `the API ignored the status filter, and showed no order of status ${hidden.join(' or ')}`;
  const isChanging = streams.some((stream) => isUnsteady(stream, to));
  return (
    reached(streams).problem ?? (isChanging ? 'the list of orders changed while it was read; ask anew' : undefined)
  );
}

export function createOrderScan(asked: ScanQuestion, now: Date): OrderScan {
  const streams = streamsFor(asked.statuses);
  let hasEdges = false;
  let stopped: string | undefined;
  let shiftMs = 0;
  const question = () => byServerClock(asked, now, shiftMs);
  const problem = () => problemOf(streams, question().period.to);
  const isWanted = (order: SoldOrder) => isInPeriod(order, question()) === true && hasStatus(order, asked.statuses);
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
      streams.push(...edgesOf(now(), timesOf(streams, now())).map((edge) => edgeStream(asked.statuses, edge)));
      stopped = await readPages(streams, now, terms);
    },
  };
}
