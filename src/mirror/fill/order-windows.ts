import { dayMs } from '../../shared/durations.ts';
import type { Cell, Statement } from '../engine/messages.ts';
import type { Store } from '../store.ts';

/** A period whose orders were read. Periods follow each other without a gap, the newest first. */
export interface OrderWindow {
  readonly from: number;
  readonly to: number;
  readonly readAt: number;
  readonly isComplete: boolean;
  readonly orders: number;
  readonly problem: string | undefined;
}

/** Orders of one period: a few pages, so that little is lost if the program ends meanwhile. */
const targetOrders = 800;
/** A period with more is shortened before it is read: all orders of one are in memory at a time. */
const mostOrders = 4 * targetOrders;
const firstDays = 7;
const maxDays = 730;

/** The earliest time that orders are looked for by period. Whatever is older is read as one. */
export const earliestOrder = Date.parse('1995-01-01T00:00:00Z');

export const selectWindows =
  'SELECT from_ms, to_ms, read_ms, is_complete, orders, problem FROM fill_windows ORDER BY from_ms DESC';

/** The window of a row of `selectWindows`. */
export function windowOf([from, to, readAt, isComplete, orders, problem]: readonly Cell[]): OrderWindow {
  return {
    from: Number(from),
    to: Number(to),
    readAt: Number(readAt),
    isComplete: isComplete === 1,
    orders: Number(orders),
    problem: typeof problem === 'string' ? problem : undefined,
  };
}

export async function readWindows(store: Pick<Store, 'read'>): Promise<OrderWindow[]> {
  return (await store.read(selectWindows)).map(windowOf);
}

export function writeWindow({ from, to, readAt, isComplete, orders, problem }: OrderWindow): Statement {
  return {
    sql: 'INSERT OR REPLACE INTO fill_windows (from_ms, to_ms, read_ms, is_complete, orders, problem) VALUES (?, ?, ?, ?, ?, ?)',
    values: [from, to, readAt, Number(isComplete), orders, problem ?? null],
  };
}

const midnightOf = (at: number) => Math.floor(at / dayMs) * dayMs;

/** The period before those that were read. Its length follows from how many orders the last one had. */
export function periodBefore(windows: readonly OrderWindow[], now: number): { from: number; to: number } {
  const oldest = windows.at(-1);
  if (oldest === undefined) return { from: midnightOf(now) - (firstDays - 1) * dayMs, to: now };
  const days = Math.max(1, (oldest.to - oldest.from) / dayMs);
  const wanted = oldest.orders === 0 ? days * 4 : (days * targetOrders) / oldest.orders;
  // At most four times as long: a quiet week says little about the year before it.
  const next = Math.min(maxDays, Math.max(1, Math.floor(Math.min(wanted, days * 4))));
  return { from: oldest.from - next * dayMs, to: oldest.from };
}

/**
 * The newest part of a period, if the period has too many orders and can be shorter: a busy year may be behind quiet months.
 * At least a day.
 */
export function shorterPeriod(
  { from, to }: { from: number; to: number },
  orders: number,
): { from: number; to: number } | undefined {
  if (orders <= mostOrders) return undefined;
  const days = Math.max(1, Math.floor(((to - from) / dayMs) * (targetOrders / orders)));
  const shorter = midnightOf(to - days * dayMs);
  return shorter > from ? { from: shorter, to } : undefined;
}

/** The start of the time up to now in which every period is complete; undefined if not even the newest is. */
export function completeSince(windows: readonly OrderWindow[]): number | undefined {
  let since: number | undefined;
  for (const { from, isComplete } of windows) {
    if (!isComplete) return since;
    since = from;
  }
  return since;
}

/** Newer orders change more often: payments that were pending. */
const recentMs = 30 * dayMs;
const recentAgeMs = dayMs / 4;
const oldAgeMs = 2 * dayMs;

/**
 * The period to read again, to find later changes: the one that was read longest ago, if that is long enough, or if it was
 * before `outdatedAt`.
 */
export function periodToRevise(
  windows: readonly OrderWindow[],
  now: number,
  outdatedAt: number,
): OrderWindow | undefined {
  const due = windows.filter(({ to, readAt, isComplete }) => {
    const age = to > now - recentMs ? recentAgeMs : oldAgeMs;
    return now - readAt > (isComplete ? age : dayMs / 24) || (isComplete && readAt <= outdatedAt);
  });
  return due.toSorted((one, other) => one.readAt - other.readAt)[0];
}
