import { earliestRecord } from '../../insights/api-time.ts';
import { dayMs, hourMs } from '../../shared/durations.ts';
import type { Statement } from '../engine/messages.ts';
import type { Store } from '../store.ts';
import { readState, writeState } from './filling.ts';

// What the copy knows of its orders: the periods that were read, and what follows for their completeness.

/** Milliseconds. */
interface Period {
  readonly from: number;
  readonly to: number;
}

/** A period whose orders were read. Periods follow each other without a gap. */
export interface OrderWindow extends Period {
  readonly readAt: number;
  /** It is proved that these are all. */
  readonly isComplete: boolean;
  /** To be read again now. */
  readonly isDue: boolean;
}

/** What a reading says of its period. Without a start: from the first order on. */
export interface ReadWindow extends Omit<OrderWindow, 'from' | 'isDue'> {
  readonly from: number | undefined;
  readonly problem: string | undefined;
}

/**
 * Orders of a period: all of one are in memory at a time. With much fewer, many orders would be read twice, since each period is
 * asked for with a day more at both ends.
 */
const targetOrders = 3_200;
const firstDays = 2;
/** Bounds how many orders a busy time behind a quiet one has. */
const maxDays = 91;

/** The newest first. */
export async function readWindows(store: Pick<Store, 'read'>): Promise<OrderWindow[]> {
  const sql = 'SELECT from_ms, to_ms, read_ms, is_complete, is_due FROM fill_windows ORDER BY from_ms DESC';
  return (await store.read(sql)).map(([from, to, readAt, isComplete, isDue]) => {
    return {
      from: Number(from),
      to: Number(to),
      readAt: Number(readAt),
      isComplete: isComplete === 1,
      isDue: isDue === 1,
    };
  });
}

/** It is no longer due. */
export function writeWindow({ from = earliestRecord, to, readAt, isComplete, problem }: ReadWindow): Statement {
  return {
    sql: 'INSERT OR REPLACE INTO fill_windows (from_ms, to_ms, read_ms, is_complete, problem, is_due) VALUES (?, ?, ?, ?, ?, 0)',
    values: [from, to, readAt, Number(isComplete), problem ?? null],
  };
}

/** How old the reading of a period may be. Newer orders change more often: payments that were pending. Milliseconds. */
function maxAge({ isComplete, to }: OrderWindow, now: number): number {
  if (!isComplete) return hourMs;
  return to > now - 30 * dayMs ? dayMs / 4 : 2 * dayMs;
}

const oldestReading = (windows: readonly OrderWindow[]) =>
  windows.toSorted((one, other) => one.readAt - other.readAt)[0];

/** The period to read again at once: one that is in doubt, or was read before `outdatedAt`. */
export const windowInDoubt = (windows: readonly OrderWindow[], outdatedAt: number) =>
  oldestReading(windows.filter(({ isDue, isComplete, readAt }) => isDue || (isComplete && readAt <= outdatedAt)));

/** The period to read again for its age, to find later changes. */
export const oldWindow = (windows: readonly OrderWindow[], now: number) =>
  oldestReading(windows.filter((one) => now - one.readAt > maxAge(one, now)));

export const midnightOf = (at: number) => Math.floor(at / dayMs) * dayMs;

/** The period before those that were read: about as many orders, if they are as frequent as in the last one. */
export function periodBefore(oldest: OrderWindow | undefined, orders: number, now: number): Period {
  if (oldest === undefined) return { from: midnightOf(now) - (firstDays - 1) * dayMs, to: now };
  const days = Math.floor(((oldest.to - oldest.from) / dayMs) * (targetOrders / Math.max(1, orders)));
  return { from: oldest.from - Math.min(maxDays, Math.max(1, days)) * dayMs, to: oldest.from };
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

// The orders that writes of this program have changed: what the mirror has of them is outdated at once.

/**
 * Notes a write that may have changed orders of this person; undefined: of anybody. The number of a note is new: one that comes
 * while its person is read is not ended by that reading.
 */
export function noteWritten(email: string | undefined, at: number): Statement[] {
  const person = `INSERT OR REPLACE INTO fill_people (email, note)
    SELECT ?, ifnull(max(note), 0) + 1 FROM fill_people`;
  const one = email === undefined ? writeState(outdatedKey, at) : { sql: person, values: [email] };
  return [writeState(writtenKey, at), one, syncOrders(at)];
}

/** Somebody whose orders are to be read again, and what ends that once they are: not if there was a newer write. */
export async function nextWritten(store: Pick<Store, 'read'>) {
  const [[email, note] = []] = await store.read('SELECT email, note FROM fill_people LIMIT 1');
  if (typeof email !== 'string' || note === undefined) return undefined;
  return { email, done: { sql: 'DELETE FROM fill_people WHERE email = ? AND note = ?', values: [email, note] } };
}

/** What was read until then is outdated. */
export const readOutdatedAt = async (store: Pick<Store, 'read'>) =>
  Number((await readState(store, outdatedKey)) ?? Number.NEGATIVE_INFINITY);
