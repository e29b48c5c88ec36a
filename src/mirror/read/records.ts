import { earliestRecord } from '../../insights/api-time.ts';
import { buyerKey, type SoldOrder } from '../../insights/sales/sold-order.ts';
import type { MirrorPart, MirrorPeople, MirrorPeriod, MirrorRecords } from '../../mcp/data-mirror.ts';
import { dayMs, minuteMs } from '../../shared/durations.ts';
import type { Cell } from '../engine/messages.ts';
import { readWindows } from '../fill/order-windows.ts';
import { type OrderCells, orderOf, restoringColumns } from '../rows/rows.ts';
import type { Read, Store } from '../store.ts';

// Whole records from the copy in place of the API, as far as it has all of them and they are fresh enough.

/** The longest time since new orders were looked for: the filling looks every 2 minutes. Milliseconds. */
const maxLookAgeMs = 10 * minuteMs;
/** The longest time since an order was read: the filling reads all again within 2 days. Milliseconds. */
const maxChangeAgeMs = 3 * dayMs;
/** Rows of one part: the heap of the thread has no room for a long list. */
const partSize = 10_000;

const orderColumns = [
  '(SELECT rest FROM fill_rest WHERE fill_rest.id = orders.id)',
  `json((SELECT json_group_array(json_array(kind, product_id, title))
    FROM order_items AS item WHERE item.order_no = orders.order_no))`,
  ...restoringColumns,
];

/** Orders with this condition, the newest first. Each part is one JSON text: many times as fast as its cells one by one. */
async function readOrders(read: Read, condition: string, values: readonly Cell[]): Promise<SoldOrder[]> {
  const sql = `SELECT '[' || group_concat(cells) || ']' FROM (SELECT json_array(${orderColumns.join(', ')}) AS cells
    FROM orders WHERE ${condition} ORDER BY created_ms DESC, order_no DESC LIMIT ${partSize} OFFSET ?)`;
  const orders: SoldOrder[] = [];
  for (let found = partSize; found === partSize; ) {
    const [[json] = []] = await read(sql, [...values, orders.length]);
    const rows = JSON.parse(String(json ?? '[]')) as OrderCells[];
    for (const row of rows) orders.push(orderOf(row));
    found = rows.length;
  }
  return orders;
}

/** The people whose orders are about to be read again, since this program has changed them. */
async function readDoubted(read: Read): Promise<Set<string>> {
  return new Set((await read('SELECT email FROM fill_people')).map(([email]) => buyerKey(String(email))));
}

export function createRecords(store: Pick<Store, 'together'>, now: () => Date): MirrorRecords {
  // The newest part of a period of which the mirror has every order, back to the first gap: complete windows that were read
  // recently. `from`: its start; minus infinity: the first order. Undefined if there is none, or no recent look for new orders.
  async function readCovered(read: Read, { from = Number.NEGATIVE_INFINITY, to }: MirrorPeriod) {
    // No period has them.
    const [[hasTimeless] = []] = await read('SELECT EXISTS (SELECT 1 FROM orders WHERE created_ms IS NULL)');
    const windows = await readWindows({ read });
    const [newest] = windows;
    const at = now().getTime();
    if (hasTimeless !== 0 || newest === undefined || at - newest.to > maxLookAgeMs) return undefined;
    const end = Math.min(to, newest.to);
    let [start, changesAsOf] = [end, newest.to];
    for (const window of windows) {
      const begin = window.from <= earliestRecord ? Number.NEGATIVE_INFINITY : window.from;
      if (begin >= to || window.to <= from) continue;
      const isSound = window.problem === undefined && !window.isDue && at - window.readAt <= maxChangeAgeMs;
      if (!isSound || window.to < start) break;
      changesAsOf = Math.min(changesAsOf, window.readAt);
      start = begin;
    }
    return start < end ? { from: start, newUpTo: new Date(newest.to), changesAsOf: new Date(changesAsOf) } : undefined;
  }

  async function readPeriod(read: Read, period: MirrorPeriod, endsNow: boolean): Promise<MirrorPart | undefined> {
    const covered = await readCovered(read, period);
    if (covered === undefined || (await readDoubted(read)).size > 0) return undefined;
    const { from = Number.NEGATIVE_INFINITY, to } = period;
    const start = Math.max(from, covered.from, Number.MIN_SAFE_INTEGER);
    const end = endsNow ? Number.MAX_SAFE_INTEGER : to;
    const orders = await readOrders(read, 'created_ms >= ? AND created_ms < ?', [start, end]);
    // The API alone decides which list an order without a status is in.
    if (orders.some(({ status }) => status === undefined)) return undefined;
    return { ...covered, orders, from: covered.from <= from ? undefined : start };
  }

  async function readPeople(read: Read, buyers: readonly string[]): Promise<MirrorPeople | undefined> {
    const covered = await readCovered(read, { from: undefined, to: now().getTime() });
    if (covered === undefined || covered.from !== Number.NEGATIVE_INFINITY) return undefined;
    const condition = 'email_key IN (SELECT value FROM json_each(?))';
    const orders = await readOrders(read, condition, [JSON.stringify(buyers)]);
    const doubted = await readDoubted(read);
    for (const { buyer, status } of orders) if (status === undefined) doubted.add(buyer);
    const known = new Set(buyers.filter((buyer) => !doubted.has(buyer)));
    return { ...covered, orders: orders.filter(({ buyer }) => known.has(buyer)), buyers: known };
  }

  return {
    orders: (period, endsNow = false) => store.together((read) => readPeriod(read, period, endsNow)),
    ordersOf: (buyers) => store.together((read) => readPeople(read, buyers)),
  };
}
