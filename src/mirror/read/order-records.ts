import { buyerKey, type SoldOrder } from '../../insights/sales/sold-order.ts';
import type { MirrorPart, MirrorPeople, MirrorPeriod } from '../../mcp/data-mirror.ts';
import type { Cell, Statement } from '../engine/messages.ts';
import { readState } from '../fill/fill-state.ts';
import { beginningKey, readWindows } from '../fill/order-windows.ts';
import type { WrittenOrders } from '../fill/written-orders.ts';
import { wholeColumns, wholeOrder } from '../rows/whole-order.ts';
import type { Store } from '../store.ts';
import { type CoveredPart, coveredPart } from './covered-orders.ts';
import { type LongList, readParts } from './read-parts.ts';

/** Orders that no period has, and orders that may be gone. */
const doubts = `SELECT EXISTS (SELECT 1 FROM orders WHERE created_ms IS NULL)
  OR EXISTS (SELECT 1 FROM fill_missing WHERE list = 'orders')`;

type Read = Store['read'];

const rest = '(SELECT rest FROM fill_rest WHERE fill_rest.order_no = orders.order_no)';
const items = `(SELECT CAST(json_group_array(json_array(kind, product_id, title)) AS TEXT)
  FROM order_items AS item WHERE item.order_no = orders.order_no)`;
const columns = ['created_ms', 'order_no', rest, items, ...wholeColumns];

/** Orders before `to` with this condition, the newest first. */
function ordersWhere({ sql, values = [] }: Statement, to: number): LongList {
  return {
    columns,
    after: ([at = to, order = -1] = [], size) => ({
      sql: `FROM orders WHERE ${sql} AND (created_ms, order_no) < (?, ?) ORDER BY created_ms DESC, order_no DESC LIMIT ?`,
      values: [...values, at, order, size],
    }),
  };
}

function orderOf([unsaid = null, products, ...row]: readonly Cell[]): SoldOrder {
  return wholeOrder(row, String(products), unsaid);
}

/** The people whose orders are about to be read again, since this program has changed them. */
async function readDoubted(read: Read): Promise<Set<string>> {
  return new Set((await read('SELECT email FROM fill_people')).map(([email]) => buyerKey(String(email))));
}

/** Reads whole orders from the mirror, as far as it has all of them and they are fresh enough. */
export function createOrderRecords(store: Pick<Store, 'together'>, written: WrittenOrders, now: () => Date) {
  async function readCovered(read: Read, period: MirrorPeriod): Promise<CoveredPart | undefined> {
    const [[isDoubtful] = []] = await read(doubts);
    if (isDoubtful !== 0) return undefined;
    const state = {
      windows: await readWindows({ read }),
      hasBeginning: (await readState({ read }, beginningKey)) !== undefined,
      outdatedAt: await written.outdatedAt(),
    };
    return coveredPart(period, state, now().getTime());
  }

  async function readPeriod(read: Read, period: MirrorPeriod): Promise<MirrorPart | undefined> {
    const covered = await readCovered(read, period);
    if (covered === undefined || (await readDoubted(read)).size > 0) return undefined;
    const { from = Number.NEGATIVE_INFINITY, to } = period;
    const start = Math.max(from, covered.from, Number.MIN_SAFE_INTEGER);
    const orders = await readParts({ read }, ordersWhere({ sql: 'created_ms >= ?', values: [start] }, to), orderOf);
    // The API alone decides which list an order without a status is in.
    if (orders.some(({ status }) => status === undefined)) return undefined;
    return { ...covered, orders, from: covered.from <= from ? undefined : start };
  }

  async function readPeople(read: Read, buyers: readonly string[]): Promise<MirrorPeople | undefined> {
    const covered = await readCovered(read, { from: undefined, to: now().getTime() });
    if (covered === undefined || covered.from !== Number.NEGATIVE_INFINITY) return undefined;
    const condition = { sql: 'email_key IN (SELECT value FROM json_each(?))', values: [JSON.stringify(buyers)] };
    const orders = await readParts({ read }, ordersWhere(condition, Number.MAX_SAFE_INTEGER), orderOf);
    const doubted = await readDoubted(read);
    for (const { buyer, status } of orders) if (status === undefined) doubted.add(buyer);
    const known = new Set(buyers.filter((buyer) => !doubted.has(buyer)));
    return { ...covered, orders: orders.filter(({ buyer }) => known.has(buyer)), buyers: known };
  }

  return {
    orders: (period: MirrorPeriod) => store.together((read) => readPeriod(read, period)),
    ordersOf: (buyers: readonly string[]) => store.together((read) => readPeople(read, buyers)),
  };
}
