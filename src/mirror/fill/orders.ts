import { getOrder, orderStatuses } from '../../contract/orders.ts';
import { isPathSegment } from '../../contract/schemas/input-fields.ts';
import { earliestRecord } from '../../insights/api-time.ts';
import { buyerKey, soldOrder } from '../../insights/sales/sold-order.ts';
import { hourMs, minuteMs } from '../../shared/durations.ts';
import { AcademyError } from '../../shared/errors.ts';
import { createTurns } from '../../shared/turns.ts';
import { createOrderScan } from '../../workflows/sales/order-scan.ts';
import type { Statement } from '../engine/messages.ts';
import { removeOrder, storeOrders } from '../rows/rows.ts';
import { type FillContext, type Filling, failureToStore, writeState } from './filling.ts';
import {
  countAll,
  createComparison,
  nextWritten,
  type OrderWindow,
  oldestReading,
  oldWindow,
  type Period,
  periodBefore,
  readWindows,
  syncOrders,
  totalKey,
  writeWindow,
} from './order-windows.ts';

/** How often new orders are looked for, and how far the look goes back behind the last one. Milliseconds. */
const lookMs = 2 * minuteMs;
const overlapMs = hourMs;
/** A newest period of at least this length is closed, and the next one begins. */
const longestNewest = 24 * hourMs;
/** How many orders are asked for, one by one, in a step. */
const mostAsked = 100;

async function readOnce({ from, to }: Period, { api, now }: FillContext) {
  const period = { from: from <= earliestRecord ? undefined : from, to, timezone: 'UTC' };
  const scan = createOrderScan({ statuses: orderStatuses, period }, now());
  await scan.readOn({ api, now, progress: () => {}, left: () => Number.POSITIVE_INFINITY });
  const readAt = scan.asOf().getTime();
  // What a cache on the way gave says nothing about the time since.
  const isOld = readAt <= from;
  const problem = scan.stopped() ?? (scan.isComplete() ? undefined : 'not all of it could be read');
  return {
    from,
    to: isOld ? to : Math.min(to, readAt),
    readAt,
    orders: scan.all(),
    problem: isOld ? 'a cache on the way gave an answer older than the period' : problem,
    /** The API ignored the bounds: these are the orders of all times. */
    isEverything: scan.isEverything(),
  };
}

type Reading = Awaited<ReturnType<typeof readOnce>>;

/** Asks for one order. A text says why nothing is proved. `isLacked`: a whole reading does not list it, so that "not found" is the proof. */
async function askFor(id: string, isLacked: boolean, { api, calendar }: FillContext): Promise<Statement[] | string> {
  // Without an id there is nothing to ask for.
  if (!isPathSegment(id)) return isLacked ? removeOrder(id) : 'the order has no id';
  try {
    const order = soldOrder(await api.call(getOrder, { order_id: id }));
    return order.id === id ? storeOrders([order], calendar) : 'the API answered with another order';
  } catch (error) {
    const isUnknown = error instanceof AcademyError && error.code === 'not_found';
    if (isUnknown) return isLacked ? removeOrder(id) : 'the API does not know the order';
    const why = failureToStore(error, 'the order');
    if (why === undefined) throw error;
    return why;
  }
}

/** Asks for these orders. The period of one that stays unproved is read again soon or, if a whole reading lacks it, in an hour. */
async function settle(ids: readonly string[], isLacked: boolean, context: FillContext): Promise<Statement[]> {
  const doubt = `UPDATE fill_windows SET is_due = ?, problem = ? WHERE from_ms = (
    SELECT coalesce((SELECT max(from_ms) FROM fill_windows WHERE from_ms <= created_ms), (SELECT min(from_ms) FROM fill_windows))
    FROM orders WHERE id = ?)`;
  const settled: Statement[] = [];
  let isSoon = true;
  for (const [index, id] of ids.entries()) {
    const answer = index < mostAsked ? await askFor(id, isLacked, context) : 'each is asked for';
    if (typeof answer !== 'string') settled.push(...answer);
    else {
      // Soon again only if that can help: the rest of many, or a reading that may lack it.
      isSoon &&= !isLacked || index >= mostAsked;
      settled.push({ sql: doubt, values: [Number(isSoon), `an order may have changed: ${answer}`, id] });
    }
  }
  return settled;
}

/** What a reading has shown, as statements: every order, also of a day more. `window`: the period to note as read. */
async function storeReading(
  reading: Reading,
  context: FillContext,
  window: readonly Statement[],
): Promise<Statement[]> {
  const { from, to, problem } = reading;
  const lacked =
    'SELECT id FROM orders WHERE created_ms >= ? AND created_ms < ? AND id NOT IN (SELECT value FROM json_each(?))';
  const since = from <= earliestRecord ? Number.MIN_SAFE_INTEGER : from;
  const ids = JSON.stringify(reading.orders.map(({ id }) => id));
  const gone = problem === undefined ? await context.store.read(lacked, [since, to, ids]) : [];
  const stored = storeOrders(reading.orders, context.calendar);
  return [...stored, ...window, ...(await settle(gone.map(String), true, context))];
}

/** Fills `orders` and `order_items`: the newest first, then what is in doubt, then the older ones, then what has changed since. */
export function createOrderFilling(): Filling {
  const comparison = createComparison();
  let lookedAt: number | undefined;

  async function write(statements: readonly Statement[], { store, now }: FillContext): Promise<void> {
    await store.write([...statements, syncOrders(now().getTime())]);
  }

  /** Orders since the last look, as statements: extends the newest period, or begins the next one. */
  async function readNew(context: FillContext): Promise<Statement[]> {
    const [newest] = await readWindows(context.store);
    if (newest === undefined) return [];
    const reading = await readOnce({ from: newest.to - overlapMs, to: context.now().getTime() }, context);
    // The first answer of this process tells the server's clock.
    lookedAt = context.now().getTime();
    if (reading.problem !== undefined) return await storeReading(reading, context, []);
    const isNext = reading.to - newest.from > longestNewest;
    const extended = {
      sql: 'UPDATE fill_windows SET to_ms = max(to_ms, ?), read_ms = min(read_ms, ?) WHERE from_ms = ?',
      values: [reading.to, reading.readAt, newest.from],
    };
    return await storeReading(reading, context, [isNext ? writeWindow({ ...reading, from: newest.to }) : extended]);
  }

  const look = async (context: FillContext) => await write(await readNew(context), context);

  /** The orders of somebody whom this program has written to, together with new ones: no order is newer than `new_up_to`. */
  async function readWritten(email: string, done: Statement, context: FillContext): Promise<void> {
    const known = await context.store.read('SELECT id FROM orders WHERE email_key = ?', [buyerKey(email)]);
    const settled = await settle(known.map(String), false, context);
    await write([...settled, done, ...(await readNew(context))], context);
  }

  /** The next older period, or everything before the earliest one. */
  async function readOlder(oldest: OrderWindow | undefined, context: FillContext): Promise<void> {
    const { store, now } = context;
    // The first answer of this process tells the server's clock.
    const total = await countAll(context);
    const at = now().getTime();
    const sql = 'SELECT count(*) FROM orders WHERE created_ms >= ? AND created_ms < ?';
    const [[found = 0] = []] = await store.read(sql, [oldest?.from ?? 0, oldest?.to ?? 0]);
    const reading = await readOnce(periodBefore(oldest, Number(found), at), context);
    if (oldest === undefined) lookedAt = at;
    const window = reading.isEverything ? { ...reading, from: earliestRecord } : reading;
    await write(await storeReading(window, context, [writeWindow(window), writeState(totalKey, total)]), context);
    const [[stored = 0] = []] = await store.read('SELECT count(*) FROM orders');
    const isEnough = (all = Number.POSITIVE_INFINITY) => Number(stored) >= all;
    // Counted again: of what came meanwhile, the first number knows nothing.
    if (reading.problem !== undefined || !isEnough(total) || !isEnough(await countAll(context))) return;
    const reachBack = 'UPDATE fill_windows SET from_ms = min(from_ms, ?) WHERE from_ms = ?';
    await write([{ sql: reachBack, values: [earliestRecord, window.from] }], context);
  }

  async function revise(window: OrderWindow, context: FillContext): Promise<void> {
    const reading = await readOnce(window, context);
    await write(await storeReading(reading, context, [writeWindow(reading)]), context);
  }

  /** What to do now, most urgent first; undefined if nothing. */
  async function next(context: FillContext): Promise<(() => Promise<void>) | undefined> {
    const { store, now, isAsked = false } = context;
    const known = await readWindows(store);
    const oldest = known.at(-1);
    const at = now().getTime();
    if (oldest === undefined) return () => readOlder(undefined, context);
    const person = await nextWritten(store);
    if (person !== undefined) return () => readWritten(person.email, person.done, context);
    if (lookedAt === undefined || at - lookedAt >= lookMs) return () => look(context);
    const due = oldestReading(known.filter(({ isDue }) => isDue));
    if (due !== undefined) return () => revise(due, context);
    if (oldest.from > earliestRecord) return () => readOlder(oldest, context);
    const isWhole = known.every(({ problem }) => problem === undefined);
    if (isWhole && comparison.isDue(at)) return () => comparison.compare(() => look(context), context);
    const old = isAsked ? undefined : oldWindow(known, at);
    return old === undefined ? undefined : () => revise(old, context);
  }

  return {
    turn: createTurns(),
    step: async (context) => {
      const work = await next(context);
      await work?.();
      return work !== undefined;
    },
    invalidate: () => {
      lookedAt = undefined;
    },
    prepare: async (context, since = Number.MAX_SAFE_INTEGER) => {
      lookedAt = undefined;
      await comparison.reset(context);
      const sql = 'UPDATE fill_windows SET is_due = 1 WHERE problem IS NOT NULL OR to_ms > ?';
      await context.store.write([{ sql, values: [since] }]);
    },
  };
}
