import { recordFailureOf } from '../../api/partial-failure.ts';
import { listOrders, type OrderStatus, orderStatuses } from '../../contract/orders.ts';
import { isoTime } from '../../insights/period.ts';
import { statusOf } from '../../insights/sales/sold-order.ts';
import { dayMs } from '../../shared/durations.ts';
import { AcademyError } from '../../shared/errors.ts';
import type { FillContext } from './filling.ts';
import { midnightOf, readWindows } from './order-windows.ts';

// Whether the API counts as many orders of each status as are stored, and if not, in which period.

type Status = OrderStatus | 'all';

/** The number of orders of each status, as the API counts. */
export type Counts = ReadonlyMap<Status, number>;

async function countOne(status: Status, { api }: FillContext) {
  const { items, meta } = await api.call(listOrders, { status, page: 1, per_page: 1 }).catch((error: unknown) => {
    // A platform may not know this status.
    if (status !== 'all' && recordFailureOf(error, false) !== undefined) return { items: [], meta: undefined };
    throw error;
  });
  /** The order that came with the total has another status: the total ignores the filter. */
  const isOther = status !== 'all' && items.some((order) => statusOf(order.status) !== status);
  return { status, total: meta?.total_orders, isOther };
}

/** The number of all orders, as the API counts them; undefined if it does not. */
export const countAll = async (context: FillContext) => (await countOne('all', context)).total;

/** The API's totals, one small request each: those that follow the status, and that of all orders. Empty if it gives none. */
export async function countOrders(context: FillContext): Promise<Counts> {
  const counts = await Promise.all((['all', ...orderStatuses] as const).map((status) => countOne(status, context)));
  const isIgnored = counts.every(({ total }) => total === counts[0]?.total);
  const used = counts.filter(({ status, isOther }) => status === 'all' || !(isIgnored || isOther));
  return new Map(used.flatMap(({ status, total }) => (total === undefined ? [] : [[status, total]])));
}

export interface Difference {
  readonly status: Status;
  readonly text: string;
}

/**
 * The first status whose stored number is none that the API named, or lies between two that it named: orders that arrive while it
 * is compared are no difference. Undefined if there is none.
 */
export async function differenceOf(counts: readonly Counts[], { store }: FillContext): Promise<Difference | undefined> {
  const rows = await store.read('SELECT status, count(*) FROM orders GROUP BY status');
  const stored = new Map(rows.map(([status, count]) => [status, Number(count)]));
  const all = [...stored.values()].reduce((sum, count) => sum + count, 0);
  for (const [status, last] of counts.at(-1) ?? []) {
    // The API alone decides in which list an order without a status is.
    if (status !== 'all' && stored.has(null)) continue;
    const own = status === 'all' ? all : (stored.get(status) ?? 0);
    const totals = counts.map((one) => one.get(status) ?? last);
    if (own >= Math.min(...totals) && own <= Math.max(...totals)) continue;
    const noun = status === 'all' ? 'orders' : `${status.replace('_', ' ')} orders`;
    return { status, text: `the academy counts ${last} ${noun}, the copy has ${own}` };
  }
  return undefined;
}

/**
 * Whether the API counts other orders of a status before a moment than are stored; undefined if it does not count by bounds. The
 * API document does not say whether the bound is inclusive, or whether only its day counts: the number must be that of one of
 * these readings.
 */
async function differsBefore(end: number, status: Status, { api, store }: FillContext): Promise<boolean | undefined> {
  const bound = Math.ceil(end / 1_000) * 1_000;
  const query = { status, created_before: isoTime(bound), page: 1, per_page: 1 };
  const total = await api.call(listOrders, query).then(
    ({ meta }) => meta?.total_orders,
    (error: unknown) => {
      if (error instanceof AcademyError && error.code === 'unprocessable') return undefined;
      throw error;
    },
  );
  if (total === undefined) return undefined;
  const readings = [bound, bound + 1, midnightOf(bound), midnightOf(bound) + dayMs];
  const sums = readings.map(() => 'sum(created_ms < ?)').join(', ');
  const [found = []] = await store.read(`SELECT ${sums} FROM orders WHERE ? IN ('all', status)`, [...readings, status]);
  return !found.some((count) => Number(count) === total);
}

/**
 * The start of the period that differs, found by halving. Undefined if the API does not count by bounds. It may be a wrong one:
 * only the next comparison shows whether reading it again was enough.
 */
export async function findDifference({ status }: Difference, context: FillContext): Promise<number | undefined> {
  const windows = (await readWindows(context.store)).reverse();
  let [low, high] = [0, windows.length - 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const differs = await differsBefore(windows[middle]?.to ?? 0, status, context);
    if (differs === undefined) return undefined;
    if (differs) high = middle;
    else low = middle + 1;
  }
  return windows[low]?.from;
}
