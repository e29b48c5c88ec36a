import type { SoldOrder } from '../../insights/sales/sold-order.ts';
import type { MirrorOrders, MirrorPeriod } from '../../mcp/data-mirror.ts';
import type { Cell, Statement } from '../engine/messages.ts';
import { selectWindows, windowOf } from '../fill/order-windows.ts';
import { beginningKey } from '../fill/orders.ts';
import { outdatedKey, type WrittenOrders } from '../fill/written-orders.ts';
import { type ItemCells, orderColumns, wholeOrder } from '../rows/whole-order.ts';
import type { Store } from '../store.ts';
import { freshnessOf, type OrderState } from './covered-orders.ts';

type Rows = readonly (readonly Cell[])[];

/** Everything that decides whether the stored orders can be used: windows, state, and orders that no period has. */
const stateStatements: readonly Statement[] = [
  { sql: selectWindows },
  { sql: `SELECT key, value FROM fill_state WHERE key IN ('${beginningKey}', '${outdatedKey}')` },
  {
    sql: `SELECT EXISTS (SELECT 1 FROM fill_people) OR EXISTS (SELECT 1 FROM orders WHERE created_ms IS NULL)`,
  },
];

const items = 'SELECT json_group_array(json_array(kind, product_id, title)) FROM order_items AS item';
const selectOrders = `SELECT (SELECT rest FROM fill_rest WHERE fill_rest.order_no = orders.order_no),
  (${items} WHERE item.order_no = orders.order_no), ${orderColumns.join(', ')} FROM orders`;
const newestFirst = 'ORDER BY created_ms DESC, order_no';

function stateOf([windows = [], states = [], doubts = []]: readonly Rows[], { known }: WrittenOrders): OrderState {
  const values = new Map(states.map(([key, value]) => [key, value]));
  const stored = Number(values.get(outdatedKey) ?? Number.NEGATIVE_INFINITY);
  const isOutdated = doubts[0]?.[0] !== 0 || known.people.size > 0;
  return {
    windows: windows.map(windowOf),
    hasBeginning: values.has(beginningKey),
    outdatedAt: isOutdated ? Number.POSITIVE_INFINITY : Math.max(known.outdatedAt, stored),
  };
}

function orderOf([rest = null, products, ...row]: readonly Cell[]): SoldOrder {
  // The statement makes it.
  return wholeOrder(row, JSON.parse(String(products)) as ItemCells[], rest);
}

/** Reads whole orders from the mirror, if it has all of the period and they are fresh enough. */
export function createOrderRecords(store: Pick<Store, 'readTogether'>, written: WrittenOrders, now: () => Date) {
  async function read(period: MirrorPeriod, orders: Statement): Promise<MirrorOrders | undefined> {
    const before = stateOf(await store.readTogether(stateStatements), written);
    if (freshnessOf(period, before, now().getTime()) === undefined) return undefined;
    // Again with the orders: the database may have changed meanwhile.
    const [found = [], ...state] = await store.readTogether([orders, ...stateStatements]);
    const freshness = freshnessOf(period, stateOf(state, written), now().getTime());
    const whole = freshness === undefined ? [] : found.map(orderOf);
    // The API alone decides which list an order without a status is in.
    const isClear = whole.every(({ status }) => status !== undefined);
    return freshness === undefined || !isClear ? undefined : { orders: whole, ...freshness };
  }

  return {
    orders: async (period: MirrorPeriod) => {
      const { from = Number.MIN_SAFE_INTEGER, to } = period;
      const sql = `${selectOrders} WHERE created_ms >= ? AND created_ms < ? ${newestFirst}`;
      return await read(period, { sql, values: [from, to] });
    },
    ordersOf: async (buyers: readonly string[]) => {
      const sql = `${selectOrders} WHERE email_key IN (SELECT value FROM json_each(?)) ${newestFirst}`;
      const everything = { from: undefined, to: now().getTime() };
      return await read(everything, { sql, values: [JSON.stringify(buyers)] });
    },
  };
}
