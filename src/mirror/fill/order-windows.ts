import { dayMs, hourMs } from '../../shared/durations.ts';
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
  /** It is read again now. */
  readonly isDue: boolean;
}

/** Orders of one period: a few pages, so that little is lost if the program ends meanwhile. */
const targetOrders = 800;
/** A period with more is shortened before it is read: all orders of one are in memory at a time. */
const mostOrders = 4 * targetOrders;
const firstDays = 7;
const maxDays = 730;

/** The earliest time that orders are looked for by period. Whatever is older is read as one. */
export const earliestOrder = Date.parse('1995-01-01T00:00:00Z');

const selectWindows =
  'SELECT from_ms, to_ms, read_ms, is_complete, orders, problem, is_due FROM fill_windows ORDER BY from_ms DESC';

function windowOf([from, to, readAt, isComplete, orders, problem, isDue]: readonly Cell[]): OrderWindow {
  return {
    from: Number(from),
    to: Number(to),
    readAt: Number(readAt),
    isComplete: isComplete === 1,
    orders: Number(orders),
    problem: typeof problem === 'string' ? problem : undefined,
    isDue: isDue === 1,
  };
}

export async function readWindows(store: Pick<Store, 'read'>): Promise<OrderWindow[]> {
  return (await store.read(selectWindows)).map(windowOf);
}

export function writeWindow({ from, to, readAt, isComplete, orders, problem, isDue }: OrderWindow): Statement {
  return {
    sql: 'INSERT OR REPLACE INTO fill_windows (from_ms, to_ms, read_ms, is_complete, orders, problem, is_due) VALUES (?, ?, ?, ?, ?, ?, ?)',
    values: [from, to, readAt, Number(isComplete), orders, problem ?? null, Number(isDue)],
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

/** Newer orders change more often: payments that were pending. */
const recentMs = 30 * dayMs;
const recentAgeMs = dayMs / 4;
const oldAgeMs = 2 * dayMs;

const oldestReading = (windows: readonly OrderWindow[]) =>
  windows.toSorted((one, other) => one.readAt - other.readAt)[0];

/** The period to read again now: one that is in doubt, or was read before `outdatedAt`. */
export function periodInDoubt(windows: readonly OrderWindow[], outdatedAt: number): OrderWindow | undefined {
  return oldestReading(
    windows.filter(({ isDue, isComplete, readAt }) => isDue || (isComplete && readAt <= outdatedAt)),
  );
}

/** The period to read again for its age, to find later changes. */
export function periodToRevise(windows: readonly OrderWindow[], now: number): OrderWindow | undefined {
  const due = windows.filter(({ to, readAt, isComplete }) => {
    const age = to > now - recentMs ? recentAgeMs : oldAgeMs;
    return now - readAt > (isComplete ? age : hourMs);
  });
  return oldestReading(due);
}

// What of the table `orders` is known, in the words of its row in `sync`. Made by one statement from what is stored, together with
// each change of it: a row that was computed before another write would contradict it.

/** Set once the periods reach back to the first order of the academy. */
export const beginningKey = 'orders_from_beginning';
/** When this program last wrote; when everything that was read before became outdated. Milliseconds. */
export const writtenKey = 'written_at';
export const outdatedKey = 'orders_outdated_at';
/** The last comparison with the API: its time in milliseconds, the number of all orders there, and what differed. */
export const comparedKey = 'orders_compared_at';
export const totalKey = 'orders_total';
export const differenceKey = 'orders_difference';

const state = (key: string) => `(SELECT value FROM fill_state WHERE key = '${key}')`;
const time = (milliseconds: string) => `strftime('%Y-%m-%dT%H:%M:%SZ', (${milliseconds}) / 1000, 'unixepoch')`;

/** `latest`: the time of an order that was just made, by the server's clock. */
export function syncOrders(latest: number): Statement {
  const sql = `INSERT OR REPLACE INTO sync (name, complete, complete_from, total, new_up_to, changes_as_of, compared_at, problem)
    WITH doubts AS (SELECT coalesce(${state(differenceKey)},
        (SELECT count(*) || ' orders are no longer listed; each is asked for' FROM fill_missing WHERE list = 'orders' HAVING count(*) > 0),
        (SELECT 'orders of ' || count(*) || ' people are read again after a write' FROM fill_people HAVING count(*) > 0),
        (SELECT 'orders are read again after a write' FROM fill_windows
          WHERE read_ms <= CAST(${state(outdatedKey)} AS INTEGER) LIMIT 1)) AS doubt),
      windows AS (SELECT min(read_ms) AS read_ms, max(to_ms) AS to_ms, min(is_complete) AS is_whole FROM fill_windows),
      sound AS (SELECT min(from_ms) AS since FROM fill_windows
        WHERE from_ms >= ifnull((SELECT max(to_ms) FROM fill_windows WHERE is_complete = 0), from_ms)),
      facts AS (SELECT *, doubt IS NULL AND is_whole = 1 AND ${state(beginningKey)} IS NOT NULL
        AND ${state(comparedKey)} IS NOT NULL AS complete FROM doubts, windows, sound)
    SELECT 'orders', complete, CASE WHEN doubt IS NULL AND NOT complete THEN ${time('since')} END,
      CAST(${state(totalKey)} AS INTEGER),
      ${time('max(to_ms, min(?, ifnull((SELECT max(created_ms) FROM orders), 0)))')}, ${time('read_ms')},
      ${time(`CAST(${state(comparedKey)} AS INTEGER)`)},
      coalesce(doubt, (SELECT problem FROM fill_windows WHERE problem IS NOT NULL ORDER BY from_ms DESC LIMIT 1))
    FROM facts WHERE to_ms IS NOT NULL`;
  return { sql, values: [latest] };
}
