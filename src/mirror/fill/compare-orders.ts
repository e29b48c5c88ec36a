import { recordFailureOf } from '../../api/partial-failure.ts';
import { listOrders, type OrderStatus, orderStatuses } from '../../contract/orders.ts';
import { isoTime } from '../../insights/period.ts';
import { statusOf } from '../../insights/sales/sold-order.ts';
import { dayMs } from '../../shared/durations.ts';
import { AcademyError } from '../../shared/errors.ts';
import type { FillContext } from './list-filling.ts';
import type { OrderWindow } from './order-windows.ts';

// Compares the number of stored orders with the API's totals: one small request per status.

type Status = OrderStatus | 'all';

/** The number of orders of each status. */
export type Counts = ReadonlyMap<Status, number>;

interface Count {
  readonly status: Status;
  readonly total: number | undefined;
  /** The order that came with the total has another status: the total ignores the filter. */
  readonly isOther: boolean;
}

async function countOne(status: Status, { api }: FillContext): Promise<Count> {
  const { items, meta } = await api.call(listOrders, { status, page: 1, per_page: 1 }).catch((error: unknown) => {
    // A platform may not know this status.
    if (status !== 'all' && recordFailureOf(error, false) !== undefined) return { items: [], meta: undefined };
    throw error;
  });
  const isOther = status !== 'all' && items.some((order) => statusOf(order.status) !== status);
  return { status, total: meta?.total_orders, isOther };
}

/** The number of all orders, as the API counts them; undefined if it does not. */
export async function countAll(context: FillContext): Promise<number | undefined> {
  return (await countOne('all', context)).total;
}

/** The API's totals: those that follow the status, and that of all orders. Empty if it gives none. */
export async function countOrders(context: FillContext): Promise<Counts> {
  const [all, ...others] = await Promise.all(
    (['all', ...orderStatuses] as const).map((status) => countOne(status, context)),
  );
  const isIgnored = others.every(({ total }) => total === all?.total);
  const used = [...(all === undefined ? [] : [all]), ...(isIgnored ? [] : others.filter(({ isOther }) => !isOther))];
  return new Map(used.flatMap(({ status, total }) => (total === undefined ? [] : [[status, total]])));
}

/** The number of stored orders of each status. The API alone decides in which list an order without a status is. */
async function storedOrders({ store }: FillContext): Promise<(status: Status) => number | undefined> {
  const rows = await store.read('SELECT status, count(*) FROM orders GROUP BY status');
  const counts = new Map(rows.map(([status, count]) => [status, Number(count)]));
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0);
  return (status) => (status === 'all' ? all : counts.has(null) ? undefined : (counts.get(status) ?? 0));
}

export interface Difference {
  readonly status: Status;
  readonly text: string;
}

/**
 * The first status whose stored number is none that the API named, or lies between two that it named: orders that arrive while it
 * is compared are no difference. Undefined if there is none.
 */
export async function differenceOf(counts: readonly Counts[], context: FillContext): Promise<Difference | undefined> {
  const storedOf = await storedOrders(context);
  for (const [status, last] of counts.at(-1) ?? []) {
    const totals = counts.map((one) => one.get(status) ?? last);
    const stored = storedOf(status) ?? last;
    if (stored >= Math.min(...totals) && stored <= Math.max(...totals)) continue;
    const noun = status === 'all' ? 'orders' : `${status.replace('_', ' ')} orders`;
    return { status, text: `the academy counts ${last} ${noun}, the copy has ${stored}` };
  }
  return undefined;
}

/**
 * Whether the API counts other orders of a status before a moment than are stored. The API document does not say whether the
 * bound is inclusive, or whether only its day counts: the number must be that of one of these readings.
 */
async function differsBefore(end: number, status: Status, { api, store }: FillContext): Promise<boolean | undefined> {
  const bound = Math.ceil(end / 1_000) * 1_000;
  const day = Math.floor(bound / dayMs) * dayMs;
  const query = { status, created_before: isoTime(bound), page: 1, per_page: 1 };
  const { meta } = await api.call(listOrders, query);
  if (meta?.total_orders === undefined) return undefined;
  const readings = [bound, bound + 1, day, day + dayMs];
  const sums = readings.map(() => 'sum(created_ms < ?)').join(', ');
  const [found = []] = await store.read(`SELECT ${sums} FROM orders WHERE ? IN ('all', status)`, [...readings, status]);
  return !found.some((count) => Number(count) === meta.total_orders);
}

/**
 * The period that differs, found by halving. Undefined if the API does not count by bounds. It may be a wrong one: only the next
 * comparison shows whether reading it again was enough.
 */
export async function findDifference(
  windows: readonly OrderWindow[],
  { status }: Difference,
  context: FillContext,
): Promise<OrderWindow | undefined> {
  const oldestFirst = windows.toReversed();
  let [low, high] = [0, oldestFirst.length - 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const differs = await differsBefore(oldestFirst[middle]?.to ?? 0, status, context).catch((error: unknown) => {
      if (error instanceof AcademyError && error.code === 'unprocessable') return undefined;
      throw error;
    });
    if (differs === undefined) return undefined;
    if (differs) high = middle;
    else low = middle + 1;
  }
  return oldestFirst[low];
}
