import { listOrders, orderStatuses } from '../../contract/orders.ts';
import { isoTime } from '../../insights/period.ts';
import type { SoldOrder } from '../../insights/sales/sold-order.ts';
import { hourMs, minuteMs } from '../../shared/durations.ts';
import { createOrderScan, type OrderScan } from '../../workflows/sales/order-scan.ts';
import type { Statement } from '../engine/messages.ts';
import { removeOtherOrders, storeOrders } from '../rows/order-rows.ts';
import { readState, writeState, writeSync } from './fill-state.ts';
import type { FillContext, Filling } from './list-filling.ts';
import {
  completeSince,
  earliestOrder,
  type OrderWindow,
  periodBefore,
  periodToRevise,
  readWindows,
  shorterPeriod,
  writeWindow,
} from './order-windows.ts';
import type { WrittenOrders } from './written-orders.ts';

/** How often new orders are looked for, and how far the look goes back behind the last one. Milliseconds. */
const intervalMs = 2 * minuteMs;
const overlapMs = hourMs;
/** A newest period of at least this length is closed, and the next one begins. */
const longestNewest = 24 * hourMs;

/** Set once the periods reach back to the first order of the academy. */
export const beginningKey = 'orders_from_beginning';

export interface Period {
  readonly from: number | undefined;
  readonly to: number;
}

/** Reads orders of a period with at most this many requests. */
async function readOn(scan: OrderScan, { api, clockShiftMs }: FillContext, requests: number): Promise<void> {
  let left = requests;
  const take = () => {
    const now = Math.max(0, left);
    left -= 1;
    return now;
  };
  await scan.readOn({ api, clockShiftMs, progress: () => {}, left: take });
}

function beginScan({ from, to }: Period, { now }: FillContext): OrderScan {
  return createOrderScan({ statuses: orderStatuses, period: { from, to, timezone: 'UTC' } }, now());
}

/** Reads all orders of a period. The scan proves whether these are all. */
export async function scanPeriod(period: Period, context: FillContext): Promise<OrderScan> {
  const scan = beginScan(period, context);
  await readOn(scan, context, Number.POSITIVE_INFINITY);
  return scan;
}

interface OlderPeriod {
  /** With its start, also if everything before its end was asked for. */
  readonly period: { from: number; to: number };
  readonly isLast: boolean;
  readonly scan: OrderScan;
}

/** Reads a period, or its newest part if its first page says that it has too many orders. */
async function scanOlder(period: OlderPeriod['period'], context: FillContext): Promise<OlderPeriod> {
  const isLast = period.from < earliestOrder;
  const scan = beginScan(isLast ? { from: undefined, to: period.to } : period, context);
  await readOn(scan, context, 1);
  const { orders, pagesLeft } = scan.scanned();
  const shorter = shorterPeriod(period, orders * (1 + pagesLeft));
  if (shorter !== undefined) return await scanOlder(shorter, context);
  await readOn(scan, context, Number.POSITIVE_INFINITY);
  return { period, isLast, scan };
}

const isIn = ({ at }: SoldOrder, from: number | undefined, to: number) =>
  at !== undefined && at >= (from ?? Number.NEGATIVE_INFINITY) && at < to;

/** What a scan has shown, as statements: what it found, and if that was all, what is gone. */
export function storeScan(scan: OrderScan, { from, to }: Period, { calendar }: FillContext): Statement[] {
  const orders = scan.all();
  const isWhole = scan.isComplete();
  const ids = orders.filter((order) => isIn(order, from, to)).map(({ id }) => id);
  return [
    ...storeOrders(orders, calendar),
    ...(isWhole ? removeOtherOrders(ids, from ?? Number.MIN_SAFE_INTEGER, to) : []),
  ];
}

function windowRead(scan: OrderScan, { from, to }: { from: number; to: number }, readAt: number): OrderWindow {
  const orders = scan.all().filter((order) => isIn(order, from, to)).length;
  return { from, to, readAt, isComplete: scan.isComplete(), orders, problem: scan.stopped() };
}

/** The number of all orders, as the API counts them; undefined if it does not. */
async function countOrders({ api }: FillContext): Promise<number | undefined> {
  const { meta } = await api.call(listOrders, { status: 'all', page: 1, per_page: 1 });
  return meta?.total_orders;
}

/** The number of stored orders that were there when the API counted them. */
async function storedOrders({ store }: FillContext, countedAt: number): Promise<number> {
  const sql = 'SELECT count(*) FROM orders WHERE created_ms IS NULL OR created_ms < ?';
  const [[count = 0] = []] = await store.read(sql, [countedAt]);
  return Number(count);
}

async function syncRow(context: FillContext, hasBeginning: boolean, total: number | undefined): Promise<Statement[]> {
  const windows = await readWindows(context.store);
  const since = completeSince(windows);
  const isWhole = hasBeginning && windows.every(({ isComplete }) => isComplete);
  const problem = windows.find((window) => window.problem !== undefined)?.problem;
  const completeFrom = isWhole || since === undefined ? undefined : isoTime(since);
  const at = new Date(windows[0]?.readAt ?? context.now().getTime());
  return writeSync({ name: 'orders', complete: isWhole, completeFrom, total, asOf: at, problem });
}

/** Fills `orders` and `order_items`: the newest first, then what changes, then what has changed since. */
export function createOrderFilling(written: WrittenOrders): Filling {
  /** When new orders were last looked for, by our clock. */
  let lookedAt: number | undefined;
  let counted: { total: number | undefined; at: number } | undefined;

  async function store(statements: readonly Statement[], context: FillContext): Promise<void> {
    await context.store.write(statements);
    const hasBeginning = (await readState(context.store, beginningKey)) !== undefined;
    await context.store.write(await syncRow(context, hasBeginning, counted?.total));
  }

  /** Orders since the last look: extends the newest period, or begins the next one. */
  async function readNew(newest: OrderWindow, context: FillContext): Promise<void> {
    const at = context.now().getTime();
    const look = { from: newest.to - overlapMs, to: at };
    const scan = await scanPeriod(look, context);
    lookedAt = at;
    const found = storeScan(scan, look, context);
    if (!scan.isComplete()) return await store(found, context);
    const isNext = at - newest.from > longestNewest;
    const since = windowRead(scan, { from: newest.to, to: at }, at);
    const extended = { ...newest, to: at, orders: newest.orders + since.orders };
    await store([...found, writeWindow(isNext ? since : extended)], context);
  }

  /** The next older period, or everything before the earliest one. */
  async function readOlder(windows: readonly OrderWindow[], context: FillContext): Promise<void> {
    const at = context.now().getTime();
    counted ??= { total: await countOrders(context), at };
    const { period, isLast, scan } = await scanOlder(periodBefore(windows, at), context);
    if (windows.length === 0) lookedAt = at;
    // An API that ignores the bounds has shown every order.
    const isEverything = isLast || scan.discarded().filters.some((name) => name !== 'status');
    const read = isEverything ? { from: undefined, to: period.to } : period;
    const window = windowRead(scan, { ...period, from: isEverything ? earliestOrder : period.from }, at);
    await store([...storeScan(scan, read, context), writeWindow(window)], context);
    const { total = Number.POSITIVE_INFINITY } = counted;
    const hasAll = (await storedOrders(context, counted.at)) >= total;
    if ((isEverything || hasAll) && scan.isComplete()) await store([writeState(beginningKey, '1')], context);
  }

  async function revise(window: OrderWindow, context: FillContext): Promise<void> {
    const scan = await scanPeriod(window, context);
    await store(
      [...storeScan(scan, window, context), writeWindow(windowRead(scan, window, scan.asOf.getTime()))],
      context,
    );
  }

  /** What to do now, most urgent first; undefined if nothing. */
  async function next(context: FillContext): Promise<(() => Promise<void>) | undefined> {
    const windows = await readWindows(context.store);
    const at = context.now().getTime();
    const [newest] = windows;
    if (newest === undefined) return () => readOlder(windows, context);
    if (await written.hasPeople()) return () => written.readPerson(context);
    if (lookedAt === undefined || at - lookedAt >= intervalMs) return () => readNew(newest, context);
    if ((await readState(context.store, beginningKey)) === undefined) return () => readOlder(windows, context);
    const old = periodToRevise(windows, at, await written.outdatedAt());
    return old === undefined ? undefined : () => revise(old, context);
  }

  return {
    name: 'orders',
    isDue: async (context) => (await next(context)) !== undefined,
    step: async (context) => await (await next(context))?.(),
    invalidate: () => {
      lookedAt = undefined;
    },
  };
}
