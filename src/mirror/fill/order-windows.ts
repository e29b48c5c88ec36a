import { recordFailureOf } from '../../api/partial-failure.ts';
import { readOrdersByEmail } from '../../api/student-orders.ts';
import { listOrders, type OrderStatus, orderStatuses } from '../../contract/orders.ts';
import { isoTime } from '../../insights/period.ts';
import { buyerKey, type SoldOrder, statusOf } from '../../insights/sales/sold-order.ts';
import { dayMs, hourMs } from '../../shared/durations.ts';
import { AcademyError } from '../../shared/errors.ts';
import type { Cell, Statement } from '../engine/messages.ts';
import { storeOrders } from '../rows/order-rows.ts';
import type { Store } from '../store.ts';
import { keysOf, markMissing, readState, writeState } from './fill-state.ts';
import type { FillContext } from './filling.ts';

// What the copy knows of its orders: the periods that were read, what writes have changed since, and whether the API counts as many.

/** A period whose orders were read. Periods follow each other without a gap, the newest first. Milliseconds. */
export interface OrderWindow {
  readonly from: number;
  readonly to: number;
  readonly readAt: number;
  readonly isComplete: boolean;
}

/** Orders of one period: a few pages, so that little is lost if the program ends meanwhile. */
const targetOrders = 800;
/** A period with more is shortened before it is read: all orders of one are in memory at a time. */
const mostOrders = 4 * targetOrders;
const firstDays = 7;
const maxDays = 730;

/** The earliest time that orders are looked for by period. Whatever is older is read as one. */
export const earliestOrder = Date.parse('1995-01-01T00:00:00Z');

/** Those with this condition, or all. */
export async function readWindows(
  store: Pick<Store, 'read'>,
  condition = 'true ORDER BY from_ms DESC',
  values: readonly Cell[] = [],
): Promise<OrderWindow[]> {
  const sql = `SELECT from_ms, to_ms, read_ms, is_complete FROM fill_windows WHERE ${condition}`;
  const rows = await store.read(sql, values);
  return rows.map(([from, to, readAt, isComplete]) => {
    return { from: Number(from), to: Number(to), readAt: Number(readAt), isComplete: isComplete === 1 };
  });
}

/** It is no longer due. */
export function writeWindow({ from, to, readAt, isComplete }: OrderWindow, problem?: string): Statement {
  return {
    sql: 'INSERT OR REPLACE INTO fill_windows (from_ms, to_ms, read_ms, is_complete, problem, is_due) VALUES (?, ?, ?, ?, ?, 0)',
    values: [from, to, readAt, Number(isComplete), problem ?? null],
  };
}

/** The period to read again now: one that is in doubt, or was read before `outdatedAt`. */
export async function windowInDoubt(store: Store, outdatedAt: number): Promise<OrderWindow | undefined> {
  const condition = 'is_due = 1 OR (is_complete = 1 AND read_ms <= ?) ORDER BY read_ms LIMIT 1';
  return (await readWindows(store, condition, [Math.max(outdatedAt, Number.MIN_SAFE_INTEGER)]))[0];
}

/** The period to read again for its age, to find later changes. Newer orders change more often: payments that were pending. */
export async function oldWindow(store: Store, now: number): Promise<OrderWindow | undefined> {
  const age = 'CASE WHEN is_complete = 0 THEN ? WHEN to_ms > ? THEN ? ELSE ? END';
  const values = [now, hourMs, now - 30 * dayMs, dayMs / 4, 2 * dayMs];
  return (await readWindows(store, `? - read_ms > ${age} ORDER BY read_ms LIMIT 1`, values))[0];
}

const midnightOf = (at: number) => Math.floor(at / dayMs) * dayMs;

/** The period before those that were read. Its length follows from how many orders the last one has. */
export async function periodBefore(
  oldest: OrderWindow | undefined,
  now: number,
  store: Store,
): Promise<{ from: number; to: number }> {
  if (oldest === undefined) return { from: midnightOf(now) - (firstDays - 1) * dayMs, to: now };
  const sql = 'SELECT count(*) FROM orders WHERE created_ms >= ? AND created_ms < ?';
  const [[orders] = []] = await store.read(sql, [oldest.from, oldest.to]);
  const days = Math.max(1, (oldest.to - oldest.from) / dayMs);
  // At most four times as long: a quiet week says little about the year before it.
  const wanted = Math.min(days * 4, (days * targetOrders) / Math.max(1, Number(orders)));
  return { from: oldest.from - Math.min(maxDays, Math.max(1, Math.floor(wanted))) * dayMs, to: oldest.from };
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

/**
 * What of the table `orders` is known, as its row in `sync`. Made by one statement from what is stored, together with each change
 * of it: a row that was computed before another write would contradict it. `latest`: the time of an order that was just made, by
 * the server's clock.
 */
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

/** Every spelling of an email that the copy knows, letter by letter: the API shows the orders of exactly one. */
async function spellingsOf(email: string, { read }: Pick<Store, 'read'>): Promise<string[]> {
  const buyer = buyerKey(email);
  const rows = await read(
    `SELECT email COLLATE BINARY FROM orders WHERE email_key = ?1
      UNION SELECT email COLLATE BINARY FROM students WHERE email_key = ?1`,
    [buyer],
  );
  return [...new Set([email, buyer, ...rows.map(([one]) => String(one))])];
}

/** All orders of a person; undefined if the API does not show all. */
async function readOrders(email: string, { api, store }: FillContext): Promise<readonly SoldOrder[] | undefined> {
  const spellings = await spellingsOf(email, store);
  const { orders, problem, isCut, refusal } = await readOrdersByEmail(api, spellings, { partly: true });
  const isNobody = refusal instanceof AcademyError && refusal.code === 'not_found';
  if (!isNobody && (problem !== undefined || isCut)) return undefined;
  return orders.filter(({ buyer }) => buyer === buyerKey(email));
}

/** The orders that writes of this program have changed: what the mirror has of them is outdated at once. */
export type WrittenOrders = ReturnType<typeof createWrittenOrders>;

export function createWrittenOrders(store: Pick<Store, 'isFiller' | 'read' | 'write'>) {
  /** What this process knows, also if another one fills the mirror. */
  const known = { writtenAt: Number.NEGATIVE_INFINITY, outdatedAt: Number.NEGATIVE_INFINITY };
  /** Grows with each note and each reading: which came first, also within a millisecond. */
  let stamp = Number.NEGATIVE_INFINITY;

  return {
    known,
    /** Notes a write that may have changed orders of this person; undefined: of anybody. Takes effect before it returns. */
    note: async (email: string | undefined, at: number): Promise<void> => {
      known.writtenAt = at;
      stamp = Math.max(at, stamp + 1);
      // Only the process that fills the mirror can store the orders of one person.
      if (email === undefined || !store.isFiller()) known.outdatedAt = at;
      if (!store.isFiller()) return;
      const person = 'INSERT OR REPLACE INTO fill_people (email, written_ms) VALUES (?, ?)';
      const one = email === undefined ? writeState(outdatedKey, at) : { sql: person, values: [email, stamp] };
      await store.write([writeState(writtenKey, at), one, syncOrders(at)]);
    },
    /** One of the people whose orders are to be read again. */
    next: async (): Promise<string | undefined> => {
      const [[email] = []] = await store.read('SELECT email FROM fill_people LIMIT 1');
      return typeof email === 'string' ? email : undefined;
    },
    /** What was read until then is outdated. */
    outdatedAt: async () =>
      Math.max(known.outdatedAt, Number((await readState(store, outdatedKey)) ?? known.outdatedAt)),
    /** Reads the orders of one person, as statements. */
    readPerson: async (email: string, context: FillContext): Promise<Statement[]> => {
      const startedAt = context.now().getTime();
      stamp = Math.max(stamp, startedAt);
      // Orders that are written to from now on are read again.
      const done = { sql: 'DELETE FROM fill_people WHERE email = ? AND written_ms <= ?', values: [email, stamp] };
      const found = await readOrders(email, context);
      // All periods are read again instead.
      if (found === undefined) return [writeState(outdatedKey, startedAt), done];
      const covers = { sql: 'email_key = ?', values: [buyerKey(email)] };
      const reading = { table: 'orders', key: 'id', covers, shown: keysOf(found.map(({ id }) => id)) };
      const why = 'the orders of the buyer do not show it';
      return [...storeOrders(found, context.calendar), ...markMissing(reading, startedAt, why), done];
    },
  };
}

type Status = OrderStatus | 'all';

/** The number of orders of each status, as the API counts. */
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
  const windows = await readWindows(context.store, 'true ORDER BY from_ms');
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
