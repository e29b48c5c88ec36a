import { recordFailureOf } from '../../api/partial-failure.ts';
import { listOrders, type OrderStatus, orderStatuses } from '../../contract/orders.ts';
import { earliestRecord } from '../../insights/api-time.ts';
import { isoTime } from '../../insights/period.ts';
import { dayMs, hourMs, minuteMs } from '../../shared/durations.ts';
import type { Statement } from '../engine/messages.ts';
import type { Store } from '../store.ts';
import { type FillContext, writeState } from './filling.ts';

// What the copy knows of its orders: the periods that were read, and what follows for their completeness.

/** Milliseconds since 1970. Periods follow each other without a gap. */
export interface Period {
  readonly from: number;
  readonly to: number;
}

/** A period whose orders were read. */
export interface OrderWindow extends Period {
  readonly readAt: number;
  /** Why it is not proved that these are all; undefined if it is. */
  readonly problem: string | undefined;
  /** To be read again now. */
  readonly isDue?: boolean;
}

/** Orders of a period, all in memory at a time. With fewer, more are read twice: a day more is asked for at both ends. */
const targetOrders = 3_200;
const firstDays = 2;
/** Bounds how many orders a busy time behind a quiet one has. */
const maxDays = 91;

/** How often the numbers of orders are compared with the API. Milliseconds. */
const compareMs = 10 * minuteMs;

/** When everything that was read before became outdated, since this program wrote. Milliseconds. */
const outdatedKey = 'orders_outdated_at';
const state = (key: string) => `(SELECT value FROM fill_state WHERE key = '${key}')`;
const time = (milliseconds: string) => `strftime('%Y-%m-%dT%H:%M:%SZ', (${milliseconds}) / 1000, 'unixepoch')`;
const outdated = `read_ms <= ifnull(CAST(${state(outdatedKey)} AS INTEGER), 0)`;

/** The newest first. One that was read before a write for anybody is due. */
export async function readWindows(store: Pick<Store, 'read'>): Promise<OrderWindow[]> {
  const isOutdated = `problem IS NULL AND ${outdated}`;
  const sql = `SELECT from_ms, to_ms, read_ms, problem, is_due OR (${isOutdated}) FROM fill_windows ORDER BY from_ms DESC`;
  return (await store.read(sql)).map(([from, to, readAt, problem, isDue]) => {
    const read = { from: Number(from), to: Number(to), readAt: Number(readAt), isDue: isDue === 1 };
    return { ...read, problem: problem == null ? undefined : String(problem) };
  });
}

export const writeWindow = ({ from, to, readAt, problem, isDue = false }: OrderWindow): Statement => ({
  sql: 'INSERT OR REPLACE INTO fill_windows (from_ms, to_ms, read_ms, problem, is_due) VALUES (?, ?, ?, ?, ?)',
  values: [from, to, readAt, problem ?? null, Number(isDue)],
});

/** How old the reading of a period may be. Newer orders change more often: payments that were pending. Milliseconds. */
function maxAge({ problem, to }: OrderWindow, now: number): number {
  if (problem !== undefined) return hourMs;
  return to > now - 30 * dayMs ? dayMs / 4 : 2 * dayMs;
}

export const oldestReading = (windows: readonly OrderWindow[]) =>
  windows.toSorted((one, other) => one.readAt - other.readAt)[0];

/** The period to read again for its age, to find later changes. */
export const oldWindow = (windows: readonly OrderWindow[], now: number) =>
  oldestReading(windows.filter((one) => now - one.readAt > maxAge(one, now)));

/** The period before those that were read: about as many orders, if they are as frequent as in the last one. */
export function periodBefore(oldest: OrderWindow | undefined, orders: number, now: number): Period {
  if (oldest === undefined) return { from: (Math.floor(now / dayMs) - firstDays + 1) * dayMs, to: now };
  const days = Math.floor(((oldest.to - oldest.from) / dayMs) * (targetOrders / Math.max(1, orders)));
  return { from: oldest.from - Math.min(maxDays, Math.max(1, days)) * dayMs, to: oldest.from };
}

/** The last comparison with the API: its time in milliseconds, the number of all orders there, and what differed. */
const comparedKey = 'orders_compared_at';
export const totalKey = 'orders_total';
const differenceKey = 'orders_difference';

/**
 * What of the table `orders` is known, as its row in `sync`. Made by one statement from what is stored, together with each change
 * of it: a row that was computed before another write would contradict it. `latest`: the time of an order that was just made, by
 * the server's clock.
 */
export function syncOrders(latest: number): Statement {
  const sql = `INSERT OR REPLACE INTO sync (name, complete, complete_from, total, new_up_to, changes_as_of, compared_at, problem)
    WITH doubts AS (SELECT coalesce(${state(differenceKey)},
        (SELECT 'orders of ' || count(*) || ' people are read again after a write' FROM fill_people HAVING count(*) > 0),
        (SELECT 'orders are read again after a write' FROM fill_windows WHERE ${outdated} LIMIT 1)) AS doubt),
      windows AS (SELECT min(read_ms) AS read_ms, max(to_ms) AS to_ms, count(problem) = 0 AS is_whole,
          min(from_ms) <= ${earliestRecord} AS has_first FROM fill_windows),
      sound AS (SELECT min(from_ms) AS since FROM fill_windows
        WHERE from_ms >= ifnull((SELECT max(to_ms) FROM fill_windows WHERE problem IS NOT NULL), from_ms)),
      facts AS (SELECT *, doubt IS NULL AND is_whole AND has_first AND ${state(comparedKey)} IS NOT NULL AS complete FROM doubts, windows, sound)
    SELECT 'orders', complete, CASE WHEN doubt IS NULL AND NOT complete THEN ${time('since')} END,
      CAST(${state(totalKey)} AS INTEGER),
      ${time('max(to_ms, min(?, ifnull((SELECT max(created_ms) FROM orders), 0)))')}, ${time('read_ms')},
      ${time(`CAST(${state(comparedKey)} AS INTEGER)`)},
      coalesce(doubt, (SELECT problem FROM fill_windows WHERE problem IS NOT NULL ORDER BY from_ms DESC LIMIT 1))
    FROM facts WHERE to_ms IS NOT NULL`;
  return { sql, values: [latest] };
}

/** Notes a write that may have changed orders of this person, or of anybody. A note that comes while they are read stays. */
export function noteWritten(email: string | undefined, at: number): Statement[] {
  const person = `INSERT OR REPLACE INTO fill_people (email, note)
    SELECT ?, ifnull(max(note), 0) + 1 FROM fill_people`;
  const one = email === undefined ? writeState(outdatedKey, at) : { sql: person, values: [email] };
  return [one, syncOrders(at)];
}

/** Somebody whose orders are to be read again, and what ends that once they are: not if there was a newer write. */
export async function nextWritten(store: Pick<Store, 'read'>) {
  const [[email, note] = []] = await store.read('SELECT email, note FROM fill_people LIMIT 1');
  if (typeof email !== 'string' || note === undefined) return undefined;
  return { email, done: { sql: 'DELETE FROM fill_people WHERE email = ? AND note = ?', values: [email, note] } };
}

// Whether the API counts as many orders of each status as are stored, and if not, in which period.

type Status = OrderStatus | 'all';

type Counts = ReadonlyMap<Status, number>;

async function countOne(status: Status, { api }: FillContext): Promise<number | undefined> {
  const { meta } = await api.call(listOrders, { status, page: 1, per_page: 1 }).catch((error: unknown) => {
    // A platform may not know this status.
    if (status !== 'all' && recordFailureOf(error, false) !== undefined) return { meta: undefined };
    throw error;
  });
  return meta?.total_orders;
}

/** The number of all orders, as the API counts them; undefined if it does not. */
export const countAll = (context: FillContext) => countOne('all', context);

/** The API's totals, one small request each. One that equals that of all orders is left out: the API may ignore the status. */
async function countOrders(context: FillContext): Promise<Counts> {
  const count = async (status: Status) => [status, await countOne(status, context)] as const;
  const counts = await Promise.all((['all', ...orderStatuses] as const).map(count));
  const used = counts.filter(([status, total]) => status === 'all' || total !== counts[0]?.[1]);
  return new Map(used.flatMap(([status, total]) => (total === undefined ? [] : [[status, total]])));
}

/** The first status whose stored number is not between those that the API named: orders may arrive meanwhile. */
async function differenceOf(counts: readonly Counts[], { store }: FillContext): Promise<string | undefined> {
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
    return `the academy counts ${last} ${noun}, the copy has ${own}`;
  }
  return undefined;
}

export const noTotal = 'the API gives no total, so nothing proves that these are all';

/** Compares the copy with the API, again and again. A difference is looked for in the newest periods first: they change most. */
export function createComparison() {
  let comparedAt: number | undefined;
  /** Because of a difference, so many of the newest periods were read again. */
  let again = 0;

  /** Compares the numbers of orders with the API, after a look for new ones. A difference counts if a second look does not explain it. */
  async function compare(look: () => Promise<void>, context: FillContext): Promise<void> {
    const counts: Counts[] = [];
    let difference: string | undefined;
    do {
      await look();
      counts.push(await countOrders(context));
      difference = await differenceOf(counts, context);
    } while (difference !== undefined && counts.length < 2);
    // What was just written is read first.
    if (difference !== undefined && (await nextWritten(context.store)) !== undefined) return;
    const now = context.now().getTime();
    const total = counts.at(-1)?.get('all');
    comparedAt = now;
    const doubt = total === undefined ? [writeState(differenceKey, noTotal)] : await doubtOf(difference, context);
    const compared = [writeState(comparedKey, now), writeState(totalKey, total)];
    await context.store.write([...compared, ...doubt, syncOrders(now)]);
  }

  /** Says whether the copy differs, and marks the periods that are read again: one, then twice as many older ones, until none is left. */
  async function doubtOf(difference: string | undefined, { store }: FillContext): Promise<Statement[]> {
    if (difference === undefined) {
      again = 0;
      return [writeState(differenceKey, undefined)];
    }
    const older = (await readWindows(store)).slice(again, 2 * again + 1);
    const [first, last] = [older[0], older.at(-1)];
    if (first === undefined || last === undefined)
      return [writeState(differenceKey, `${difference}; reading all again did not explain it`)];
    again += older.length;
    // It is compared at once when they were read.
    comparedAt = undefined;
    const text = `${difference}; reading orders since ${isoTime(last.from).slice(0, 10)} again`;
    const sql = 'UPDATE fill_windows SET is_due = 1, problem = ? WHERE from_ms BETWEEN ? AND ?';
    return [writeState(differenceKey, text), { sql, values: [text, last.from, first.from] }];
  }

  return {
    compare,
    isDue: (at: number) => comparedAt === undefined || at - comparedAt >= compareMs,
    /** Compares soon, and begins with the newest period again if a difference was in none. */
    reset: async ({ store }: FillContext) => {
      comparedAt = undefined;
      if (again >= (await readWindows(store)).length) again = 0;
    },
  };
}
