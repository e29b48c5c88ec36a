import { orderStatuses } from '../../contract/orders.ts';
import { type Freshness, olderFreshness } from '../../insights/freshness.ts';
import { hasStatus, isInPeriod } from '../../insights/sales/coverage-gaps.ts';
import type { SoldOrder } from '../../insights/sales/sold-order.ts';
import type { MirrorPeriod, MirrorRecords } from '../../mcp/data-mirror.ts';
import type { ToolContext } from '../../mcp/tool.ts';
import { dayMs } from '../../shared/durations.ts';
import { edgesOf, mainWindow, type Window } from './order-bounds.ts';
import { byServerClock, type OrderScan, type ScanQuestion } from './order-scan.ts';

/** The times that a request for this window covers. */
function timesOf({ from, to, isWideFrom, isWideTo }: Window): MirrorPeriod {
  return {
    from: from === undefined ? undefined : from - (isWideFrom ? dayMs : 0),
    to: to + (isWideTo ? dayMs : 0),
  };
}

function within({ from = Number.NEGATIVE_INFINITY, to }: MirrorPeriod) {
  return ({ at }: SoldOrder) => at !== undefined && at >= from && at < to;
}

/** The orders that the lists of a scan over the API would show, in their order. */
function ordersShown(orders: readonly SoldOrder[], question: ScanQuestion): SoldOrder[] {
  const { statuses, period } = question;
  const main = orders.filter(within(timesOf(mainWindow(question))));
  const isAll = statuses.length >= orderStatuses.length - 1;
  const lists = isAll ? [main] : statuses.map((one) => main.filter(({ status }) => status === one));
  const times = lists.flat().flatMap((order) => (within(period)(order) ? [order.at ?? 0] : []));
  const edges = edgesOf(question, times).map((edge) => orders.filter(within(timesOf(edge))));
  const ends = statuses.length > 1 ? edges : edges.map((some) => some.filter((order) => hasStatus(order, statuses)));
  return [...new Map([...lists, ...ends].flat().map((order) => [order.id, order])).values()];
}

/** The orders of the period, and of a day before and after it: what the lists of a scan may show. */
async function readOrders({ period: { from, to } }: ScanQuestion, records: MirrorRecords) {
  return await records.orders({ from: from === undefined ? undefined : from - dayMs, to: to + dayMs });
}

/** A scan that the mirror answers as the API would; undefined if it cannot. */
export async function scanMirror(
  request: ScanQuestion,
  { mirror, clockShiftMs, now }: Pick<ToolContext, 'mirror' | 'clockShiftMs' | 'now'>,
): Promise<OrderScan | undefined> {
  const records = mirror?.records;
  const question = byServerClock(request, now(), clockShiftMs());
  const read = records && (await readOrders(question, records));
  if (records === undefined || read === undefined) return undefined;
  const all = ordersShown(read.orders, question);
  const orders = all.filter((one) => isInPeriod(one, question) === true && hasStatus(one, request.statuses));
  let freshness: Freshness = read;
  return {
    asOf: read.newUpTo,
    orders: () => [...orders],
    all: () => [...all],
    question: () => question,
    discarded: () => ({ orders: 0, filters: [] }),
    scanned: () => ({ orders: all.length, pages: 0, pagesLeft: 0 }),
    isComplete: () => true,
    stopped: () => undefined,
    readOn: async () => {},
    mirror: {
      freshness: () => freshness,
      ordersOf: async (buyers) => {
        const found = await records.ordersOf(buyers);
        if (found !== undefined) freshness = olderFreshness(freshness, found);
        return found?.orders;
      },
    },
  };
}
