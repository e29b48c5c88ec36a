import type { SoldOrder } from '../../insights/sales/sold-order.ts';
import type { MirrorOrders, MirrorPeriod } from '../../mcp/data-mirror.ts';
import type { Cell, Statement } from '../engine/messages.ts';
import { readState } from '../fill/fill-state.ts';
import { beginningKey, readWindows } from '../fill/order-windows.ts';
import type { WrittenOrders } from '../fill/written-orders.ts';
import { wholeColumns, wholeOrder } from '../rows/whole-order.ts';
import type { Store } from '../store.ts';
import { freshnessOf, type OrderState } from './covered-orders.ts';
import { type LongList, readParts } from './read-parts.ts';

/** Orders that no period has or that may be gone, and people whose orders are about to be read again. */
const doubts = `SELECT EXISTS (SELECT 1 FROM fill_people) OR EXISTS (SELECT 1 FROM fill_missing WHERE list = 'orders')
  OR EXISTS (SELECT 1 FROM orders WHERE created_ms IS NULL)`;

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

async function readOrderState(store: Pick<Store, 'read'>, { outdatedAt }: WrittenOrders): Promise<OrderState> {
  const [[isDoubtful] = []] = await store.read(doubts);
  return {
    windows: await readWindows(store),
    hasBeginning: (await readState(store, beginningKey)) !== undefined,
    outdatedAt: isDoubtful !== 0 ? Number.POSITIVE_INFINITY : await outdatedAt(),
  };
}

/** Reads whole orders from the mirror, if it has all of the period and they are fresh enough. */
export function createOrderRecords(store: Store, written: WrittenOrders, now: () => Date) {
  async function read(period: MirrorPeriod, condition: Statement, until: number): Promise<MirrorOrders | undefined> {
    return await store.together(async (read) => {
      const freshness = freshnessOf(period, await readOrderState({ read }, written), now().getTime());
      if (freshness === undefined) return undefined;
      const orders = await readParts({ read }, ordersWhere(condition, until), orderOf);
      // The API alone decides which list an order without a status is in.
      return orders.some(({ status }) => status === undefined) ? undefined : { orders, ...freshness };
    });
  }

  return {
    orders: async (period: MirrorPeriod) => {
      const { from = Number.MIN_SAFE_INTEGER, to } = period;
      return await read(period, { sql: 'created_ms >= ?', values: [from] }, to);
    },
    ordersOf: async (buyers: readonly string[]) => {
      const everything = { from: undefined, to: now().getTime() };
      const sql = 'email_key IN (SELECT value FROM json_each(?))';
      return await read(everything, { sql, values: [JSON.stringify(buyers)] }, Number.MAX_SAFE_INTEGER);
    },
  };
}
