import type { Api } from '../../api/api.ts';
import { nextRound, reached } from '../../api/pages.ts';
import type { OrderStatus } from '../../contract/orders.ts';
import type { Period } from '../../insights/period.ts';
import type { SoldOrder } from '../../insights/sales/sold-order.ts';
import { stoppedBy } from '../batch.ts';
import { addPage, isUnsteady, type OrderStream, readPage, settle, streamsFor } from './order-pages.ts';

// Every order of some statuses in a period: the API has no other way to answer questions about sales.

/** Pages under way at once: as many as a small account's limiter lets pass. */
const atOnce = 4;

export interface ScanQuestion {
  readonly statuses: readonly OrderStatus[];
  readonly period: Period;
}

/** What a scan may still cost, and whom it tells how far it has come. */
export interface ScanTerms {
  readonly api: Api;
  /** Requests that may still be sent. */
  readonly left: () => number;
  readonly progress: (done: number, total: number | undefined, message: string) => void;
}

export interface OrderScan {
  /** When its first page was asked for. */
  readonly asOf: Date;
  /** Distinct orders of the period and statuses. */
  orders(): SoldOrder[];
  /** Distinct orders read, and pages; at least `pagesLeft` are left. None is left where reading on would bring no more. */
  scanned(): { orders: number; pages: number; pagesLeft: number };
  isComplete(): boolean;
  /** Why the last reading ended before the end, where it was not for want of requests. */
  stopped(): string | undefined;
  /** Reads what has not been read, as far as the terms allow. No page is read twice, unless the list changed meanwhile. */
  readOn(terms: ScanTerms): Promise<void>;
}

function distinct(streams: readonly OrderStream[]): SoldOrder[] {
  const read = streams.flatMap(({ orders }) => [...orders.values()].flat());
  return [...new Map(read.map((order) => [order.id, order])).values()];
}

function countPages(streams: readonly OrderStream[]) {
  return { pages: streams.reduce((sum, { pages }) => sum + pages.read(), 0), pagesLeft: reached(streams).left };
}

/** The filter of the API is checked again. What it did not tell of an order is believed. */
function wantedBy({ statuses, period }: ScanQuestion): (order: SoldOrder) => boolean {
  const wanted: ReadonlySet<string> = new Set(statuses);
  return ({ at, status }) => {
    const isInTime = at === undefined || (at >= (period.from ?? Number.NEGATIVE_INFINITY) && at < period.to);
    return isInTime && (status === undefined || wanted.has(status));
  };
}

function tell(streams: readonly OrderStream[], { progress }: ScanTerms): void {
  const { pages, pagesLeft } = countPages(streams);
  const total = streams.every((stream) => stream.pages.isCounted()) ? pages + pagesLeft : undefined;
  progress(pages, total, `read ${pages}${total === undefined ? '' : ` of ${total}`} pages of orders`);
}

/** Why it ended early, where it did. Throws where nothing has been read that would be worth an answer. */
async function readPages(streams: readonly OrderStream[], period: Period, terms: ScanTerms) {
  const next = () => nextRound(streams, Math.min(atOnce, terms.left()));
  for (let round = next(); round.length > 0; round = next()) {
    const read = await Promise.allSettled(round.map(({ list, page }) => readPage(list, page, period, terms.api)));
    for (const [index, { list, page }] of round.entries()) {
      const result = read[index];
      if (result?.status === 'fulfilled') addPage(list, page, result.value);
    }
    const failure = read.find((result) => result.status === 'rejected');
    if (failure !== undefined && countPages(streams).pages === 0) throw failure.reason;
    if (failure !== undefined) return stoppedBy(failure.reason);
    for (const stream of streams) settle(stream);
    tell(streams, terms);
  }
  return undefined;
}

export function createOrderScan(question: ScanQuestion, now: Date): OrderScan {
  const streams = streamsFor(question.statuses);
  const isWanted = wantedBy(question);
  let stopped: string | undefined;
  const isChanging = () => streams.some(isUnsteady);
  const problem = () =>
    reached(streams).problem ?? (isChanging() ? 'the list of orders changed while it was read; ask anew' : undefined);
  return {
    asOf: now,
    orders: () => distinct(streams).filter(isWanted),
    scanned: () => ({ orders: distinct(streams).length, ...countPages(streams) }),
    isComplete: () => countPages(streams).pagesLeft === 0 && problem() === undefined,
    stopped: () => stopped ?? problem(),
    readOn: async (terms) => {
      stopped = undefined;
      stopped = await readPages(streams, question.period, terms);
    },
  };
}
