import { getOrder, orderStatuses } from '../../contract/orders.ts';
import { isPathSegment } from '../../contract/schemas/path-segment.ts';
import { type SoldOrder, soldOrder } from '../../insights/sales/sold-order.ts';
import { hourMs, minuteMs } from '../../shared/durations.ts';
import { AcademyError } from '../../shared/errors.ts';
import { createOrderScan, type OrderScan } from '../../workflows/sales/order-scan.ts';
import type { Statement } from '../engine/messages.ts';
import { removeOrder, storeOrders } from '../rows/order-rows.ts';
import { failureToStore, keysOf, markMissing, readState, writeState } from './fill-state.ts';
import type { FillContext, Filling } from './filling.ts';
import {
  beginningKey,
  type Counts,
  comparedKey,
  countAll,
  countOrders,
  type Difference,
  differenceKey,
  differenceOf,
  earliestOrder,
  findDifference,
  type OrderWindow,
  oldWindow,
  periodBefore,
  readWindows,
  shorterPeriod,
  syncOrders,
  totalKey,
  type WrittenOrders,
  windowInDoubt,
  writeWindow,
} from './order-windows.ts';

/** How often new orders are looked for, and how far the look goes back behind the last one. Milliseconds. */
const lookMs = 2 * minuteMs;
const overlapMs = hourMs;
/** A newest period of at least this length is closed, and the next one begins. */
const longestNewest = 24 * hourMs;
/** How often the numbers of orders are compared with the API. Milliseconds. */
const compareMs = 10 * minuteMs;
/** Orders that are no longer listed: how many are asked for in a step, and when one is asked for again. */
const mostAsked = 5;
const askAgainMs = 10 * minuteMs;
/** Periods that are read again to find a difference, before all of them are. */
const mostPeriods = 3;
const triesKey = 'orders_difference_tries';

interface Period {
  readonly from: number | undefined;
  readonly to: number;
}

/** The orders that the API shows for a period. */
interface Reading extends Period {
  readonly readAt: number;
  readonly orders: readonly SoldOrder[];
  /** It is proved that these are all. */
  readonly isWhole: boolean;
  readonly problem: string | undefined;
  /** The API ignored the bounds: these are the orders of all times. */
  readonly isEverything: boolean;
}

/** Reads orders of a period with at most this many requests. */
async function readOn(scan: OrderScan, { api, now }: FillContext, requests: number): Promise<void> {
  let left = requests;
  const take = () => {
    left -= 1;
    return Math.max(0, left + 1);
  };
  await scan.readOn({ api, now, progress: () => {}, left: take });
}

function beginScan({ from, to }: Period, { now }: FillContext): OrderScan {
  return createOrderScan({ statuses: orderStatuses, period: { from, to, timezone: 'UTC' } }, now());
}

async function finishScan(scan: OrderScan, period: Period, context: FillContext): Promise<Reading> {
  await readOn(scan, context, Number.POSITIVE_INFINITY);
  const readAt = scan.asOf().getTime();
  // What a cache on the way gave says nothing about the time since.
  const isOld = readAt <= (period.from ?? Number.NEGATIVE_INFINITY);
  const to = isOld ? period.to : Math.min(period.to, readAt);
  return {
    from: period.from,
    to,
    readAt,
    orders: scan.all(),
    isWhole: scan.isComplete() && !isOld,
    problem: scan.stopped() ?? (isOld ? 'a cache on the way gave an answer older than the period' : undefined),
    isEverything: scan.isEverything(),
  };
}

const idsOf = ({ orders }: Reading) => orders.map(({ id }) => id);

/** What a reading has shown, as statements. It removes nothing: what it lacks is marked, and then asked for. */
function storeReading(reading: Reading, { calendar }: FillContext): Statement[] {
  const { from = Number.MIN_SAFE_INTEGER, to, orders, isWhole, readAt } = reading;
  const covers = { sql: 'created_ms >= ? AND created_ms < ?', values: [from, to] };
  const lacking = { table: 'orders', key: 'id', covers, shown: keysOf(idsOf(reading)) };
  return [
    ...storeOrders(orders, calendar),
    ...(isWhole ? markMissing(lacking, readAt, 'the orders of its time do not show it') : []),
  ];
}

function windowOf({ from = earliestOrder, to, readAt, isWhole, problem }: Reading): Statement {
  return writeWindow({ from, to, readAt, isComplete: isWhole }, problem);
}

/** Asks for an order that a whole reading did not show: only "not found" proves that it is gone. */
async function askFor(id: string, { api, now, calendar }: FillContext): Promise<Statement[]> {
  const known: Statement = { sql: "DELETE FROM fill_missing WHERE list = 'orders' AND id = ?", values: [id] };
  const unclear = (why: string): Statement[] => [
    {
      sql: "UPDATE fill_missing SET why = ?, asked_ms = ? WHERE list = 'orders' AND id = ?",
      values: [why, now().getTime(), id],
    },
  ];
  // Without an id there is nothing to ask for: the whole reading is the proof.
  if (!isPathSegment(id)) return [...removeOrder(id), known];
  try {
    const order = soldOrder(await api.call(getOrder, { order_id: id }));
    if (order.id !== id) return unclear('the API answered with another order');
    return [...storeOrders([order], calendar), known];
  } catch (error) {
    if (error instanceof AcademyError && error.code === 'not_found') return [...removeOrder(id), known];
    const why = failureToStore(error, 'the order');
    if (why === undefined) throw error;
    return unclear(why);
  }
}

async function missingToAsk({ store, now }: FillContext): Promise<string[]> {
  const sql = "SELECT id FROM fill_missing WHERE list = 'orders' AND ifnull(asked_ms, 0) < ? LIMIT ?";
  return (await store.read(sql, [now().getTime() - askAgainMs, mostAsked])).map(([id]) => String(id));
}

/** Fills `orders` and `order_items`: the newest first, then what is in doubt, then the older ones, then what has changed since. */
export function createOrderFilling(written: WrittenOrders): Filling {
  /** When new orders were last looked for, and the numbers were last compared. */
  let lookedAt: number | undefined;
  let comparedAt: number | undefined;
  /** The API's number of all orders when the filling began; `at`: when it was asked for. */
  let counted: { total: number | undefined; at: number } | undefined;

  async function write(statements: readonly Statement[], { store, now }: FillContext): Promise<void> {
    await store.write([...statements, syncOrders(now().getTime())]);
  }

  async function count(context: FillContext) {
    const at = context.now().getTime();
    counted ??= { at, total: await countAll(context) };
    return counted;
  }

  /** Without a total, a reading proves that it is whole only if a second one shows the same orders. */
  async function proved(reading: Reading, context: FillContext): Promise<Reading> {
    const { total } = await count(context);
    if (total !== undefined || !reading.isWhole) return reading;
    const again = await finishScan(beginScan(reading, context), reading, context);
    const isSame = idsOf(reading).sort().join() === idsOf(again).sort().join();
    const problem = 'the API gives no total, and two readings showed different orders';
    return isSame ? again : { ...again, isWhole: false, problem: again.problem ?? problem };
  }

  async function readPeriod(period: Period, context: FillContext): Promise<Reading> {
    return await proved(await finishScan(beginScan(period, context), period, context), context);
  }

  /** A period, or its newest part if its first page says that it has too many orders. Before the earliest: all that is older. */
  async function readOlderPeriod(period: { from: number; to: number }, context: FillContext): Promise<Reading> {
    const asked = period.from < earliestOrder ? { from: undefined, to: period.to } : period;
    const scan = beginScan(asked, context);
    await readOn(scan, context, 1);
    const shorter = shorterPeriod(period, scan.all().length * (1 + scan.scanned().pagesLeft));
    if (shorter !== undefined) return await readOlderPeriod(shorter, context);
    return await proved(await finishScan(scan, asked, context), context);
  }

  /** Orders since the last look, as statements: extends the newest period, or begins the next one. */
  async function readNew(context: FillContext): Promise<Statement[]> {
    const [newest] = await readWindows(context.store);
    if (newest === undefined) return [];
    // The first answer of this process tells the server's clock.
    await count(context);
    lookedAt = context.now().getTime();
    const reading = await readPeriod({ from: newest.to - overlapMs, to: lookedAt }, context);
    const found = storeReading(reading, context);
    if (!reading.isWhole) return found;
    const isNext = reading.to - newest.from > longestNewest;
    const extended = {
      sql: 'UPDATE fill_windows SET to_ms = max(to_ms, ?), read_ms = min(read_ms, ?) WHERE from_ms = ?',
      values: [reading.to, reading.readAt, newest.from],
    };
    return [...found, isNext ? windowOf({ ...reading, from: newest.to }) : extended];
  }

  const look = async (context: FillContext) => await write(await readNew(context), context);

  /** The orders of somebody whom this program has written to, together with new ones: no order is newer than `new_up_to`. */
  async function readPerson(email: string, context: FillContext): Promise<void> {
    const own = await written.readPerson(email, context);
    await write([...own, ...(await readNew(context))], context);
  }

  /** The next older period, or everything before the earliest one. */
  async function readOlder(oldest: OrderWindow | undefined, context: FillContext): Promise<void> {
    const { total, at } = await count(context);
    const now = context.now().getTime();
    if (oldest === undefined) lookedAt = now;
    const reading = await readOlderPeriod(await periodBefore(oldest, now, context.store), context);
    const isLast = reading.isEverything || reading.from === undefined;
    const found = isLast ? { ...reading, from: undefined } : reading;
    await write([...storeReading(found, context), windowOf(found), writeState(totalKey, total)], context);
    const sql = 'SELECT count(*) FROM orders WHERE created_ms IS NULL OR created_ms < ?';
    const [[stored] = []] = await context.store.read(sql, [at]);
    const hasAll = reading.isWhole && Number(stored) >= (total ?? Number.POSITIVE_INFINITY);
    if (isLast || hasAll) await write([writeState(beginningKey, 1)], context);
  }

  /** Reads a period again. The oldest one reaches back to the beginning, if the periods do. */
  async function revise({ from, to }: OrderWindow, context: FillContext): Promise<void> {
    const isFirst = from === (await readWindows(context.store)).at(-1)?.from;
    const isBeginning = isFirst && (await readState(context.store, beginningKey)) !== undefined;
    const reading = await readPeriod({ from: isBeginning ? undefined : from, to }, context);
    await write([...storeReading(reading, context), windowOf({ ...reading, from })], context);
  }

  async function askForMissing(ids: readonly string[], context: FillContext): Promise<void> {
    for (const id of ids) await write(await askFor(id, context), context);
  }

  /** Compares the numbers of orders with the API, after a look for new ones. A difference counts if a second look does not explain it. */
  async function compare(context: FillContext): Promise<void> {
    comparedAt = context.now().getTime();
    const counts: Counts[] = [];
    let difference: Difference | undefined;
    do {
      await look(context);
      counts.push(await countOrders(context));
      difference = await differenceOf(counts, context);
    } while (difference !== undefined && counts.length < 2);
    const isExplained = (await written.next()) !== undefined || (await missingToAsk(context)).length > 0;
    if (difference === undefined || !isExplained) return await note(difference, counts.at(-1)?.get('all'), context);
    // Those are read first.
    comparedAt = undefined;
  }

  /**
   * Stores what was compared. After a difference, says that the copy differs and marks what is read again: the period that
   * differs, and if that does not help, all of them.
   */
  async function note(
    difference: Difference | undefined,
    total: number | undefined,
    context: FillContext,
  ): Promise<void> {
    const { store, now } = context;
    // Without a total, the second reading of each period is the comparison.
    const readings = (await readWindows(store)).map(({ readAt }) => readAt);
    const at = total === undefined ? Math.min(...readings) : now().getTime();
    const compared = [writeState(comparedKey, at), writeState(totalKey, total)];
    if (difference === undefined) {
      return await write([...compared, writeState(differenceKey, undefined), writeState(triesKey, undefined)], context);
    }
    const tries = Number((await readState(store, triesKey)) ?? 0) + 1;
    const from = tries <= mostPeriods ? await findDifference(difference, context) : undefined;
    const isOver = tries > mostPeriods + 1;
    const part = from === undefined ? 'all orders' : 'those of the time that differs';
    const text = `${difference.text}; ${isOver ? 'reading all again did not explain it' : `reading ${part} again`}`;
    const again: Statement = {
      sql: 'UPDATE fill_windows SET is_due = 1, is_complete = 0, problem = ? WHERE from_ms = ifnull(?, from_ms)',
      values: [text, from ?? null],
    };
    const tried = from === undefined ? Math.max(tries, mostPeriods + 1) : tries;
    const doubt = [writeState(differenceKey, text), writeState(triesKey, tried), ...(isOver ? [] : [again])];
    await write([...compared, ...doubt], context);
    // Compared again once it was read.
    if (!isOver) comparedAt = undefined;
  }

  /** What to do now, most urgent first; undefined if nothing. */
  async function next(context: FillContext): Promise<(() => Promise<void>) | undefined> {
    const { store, now, isAsked = false } = context;
    const known = await readWindows(store);
    const at = now().getTime();
    if (known.length === 0) return () => readOlder(undefined, context);
    const person = await written.next();
    if (person !== undefined) return () => readPerson(person, context);
    const missing = await missingToAsk(context);
    if (missing.length > 0) return () => askForMissing(missing, context);
    if (lookedAt === undefined || at - lookedAt >= lookMs) return () => look(context);
    const doubtful = await windowInDoubt(store, await written.outdatedAt());
    if (doubtful !== undefined) return () => revise(doubtful, context);
    if ((await readState(store, beginningKey)) === undefined) return () => readOlder(known.at(-1), context);
    const isWhole = known.every(({ isComplete }) => isComplete);
    if (isWhole && (comparedAt === undefined || at - comparedAt >= compareMs)) return () => compare(context);
    const old = isAsked ? undefined : await oldWindow(store, at);
    return old === undefined ? undefined : () => revise(old, context);
  }

  return {
    isDue: async (context) => (await next(context)) !== undefined,
    step: async (context) => {
      try {
        await (await next(context))?.();
      } catch (error) {
        [lookedAt, comparedAt] = [undefined, undefined];
        throw error;
      }
    },
    invalidate: () => {
      lookedAt = undefined;
    },
    prepare: async ({ store }, since = Number.MAX_SAFE_INTEGER) => {
      [lookedAt, comparedAt] = [undefined, undefined];
      await store.write([
        { sql: 'UPDATE fill_windows SET is_due = 1 WHERE is_complete = 0 OR to_ms > ?', values: [since] },
        { sql: "UPDATE fill_missing SET asked_ms = NULL WHERE list = 'orders'" },
        writeState(triesKey, undefined),
      ]);
    },
  };
}
