import type { SoldOrder } from '../../insights/sales/sold-order.ts';
import type { Cell, Statement } from '../engine/messages.ts';
import type { TimeCells } from './calendar.ts';
import { emailCells, lineCell, unitsOf } from './cells.ts';
import { upsertRows, withKeys } from './insert-rows.ts';
import { type ItemCells, orderColumns, restOf } from './whole-order.ts';

type CalendarCells = (written: string | undefined) => TimeCells;

/** The cells of `orderColumns`. */
function orderRow(order: SoldOrder, calendar: CalendarCells): Cell[] {
  const { id, email, name, created_at, status, amount, currency, country, unreadable } = order;
  return [
    id,
    ...emailCells(email),
    lineCell(name),
    ...calendar(created_at),
    lineCell(status),
    lineCell(amount?.trim()),
    unitsOf(amount),
    lineCell(currency?.toUpperCase()),
    lineCell(country),
    unreadable.length > 0 ? unreadable.join(', ') : null,
  ];
}

/** The bundle is filled in later, when all orders of a period are there. */
function itemCells({ products }: SoldOrder): ItemCells[] {
  return products.map(({ kind, id, title }) => [kind, id, lineCell(title)]);
}

/** What the rows of orders do not say: their ids, each with the rest. */
function restRows(orders: readonly SoldOrder[], rows: readonly (readonly Cell[])[]): Cell[][] {
  return orders.flatMap((order, index) => {
    const rest = restOf(order, rows[index] ?? [], itemCells(order));
    return rest === undefined ? [] : [[order.id, rest]];
  });
}

/** Reads `?1`, the products of orders. */
const given = 'SELECT value ->> 0 AS order_id, value ->> 1 AS kind, value ->> 2 AS product_id FROM json_each(?1)';

/** `?2`: the ids of the orders. */
const numbersOfAll = 'SELECT order_no FROM orders WHERE id IN (SELECT value FROM json_each(?2))';

const markChanged = "INSERT OR REPLACE INTO fill_state (key, value) SELECT 'orders_changed', '1' WHERE EXISTS";

/** Only the products of orders with a bundle say what bundles contain. Most orders that are read again are as they were. */
const markChangedBundles = `WITH given AS MATERIALIZED (${given}),
  stored AS MATERIALIZED (SELECT order_id, kind, product_id FROM order_items WHERE order_no IN (${numbersOfAll})),
  carriers AS (SELECT order_id FROM given WHERE kind = 'bundle' UNION SELECT order_id FROM stored WHERE kind = 'bundle'),
  changed AS (SELECT * FROM (SELECT * FROM given EXCEPT SELECT * FROM stored)
    UNION ALL SELECT * FROM (SELECT * FROM stored EXCEPT SELECT * FROM given))
  ${markChanged} (SELECT 1 FROM changed WHERE order_id IN (SELECT order_id FROM carriers))`;

const deleteItems = `DELETE FROM order_items
  WHERE order_no IN (${numbersOfAll}) AND (order_id, kind, product_id) NOT IN (${given})`;

/** The bundle of a product that is there already stays. */
const insertItems = `INSERT INTO order_items (order_no, order_id, kind, product_id, title)
  SELECT orders.order_no, item.value ->> 0, item.value ->> 1, item.value ->> 2, item.value ->> 3
  FROM json_each(?) AS item JOIN orders ON orders.id = item.value ->> 0 WHERE true
  ON CONFLICT DO UPDATE SET title = excluded.title WHERE title IS NOT excluded.title`;

/** Products that only orders name. */
const insertProducts = `INSERT OR IGNORE INTO products (kind, product_id, title, is_listed)
  SELECT value ->> 1, value ->> 2, max(value ->> 3), 0 FROM json_each(?) GROUP BY 1, 2`;

const insertRest = `INSERT INTO fill_rest (order_no, rest)
  SELECT orders.order_no, one.value ->> 1 FROM json_each(?) AS one JOIN orders ON orders.id = one.value ->> 0`;

const numbersOf = 'SELECT order_no FROM orders WHERE id IN (SELECT value FROM json_each(?))';

/** Stores orders as they are now: what a changed one no longer lists is removed. */
export function storeOrders(orders: readonly SoldOrder[], calendar: CalendarCells): Statement[] {
  if (orders.length === 0) return [];
  const ids = orders.map(({ id }) => id);
  const rows = orders.map((order) => orderRow(order, calendar));
  const items = orders.flatMap((order) => itemCells(order).map((cells) => [order.id, ...cells]));
  const rests = restRows(orders, rows);
  const [products, all] = [JSON.stringify(items), JSON.stringify(ids)];
  return [
    { sql: markChangedBundles, values: [products, all] },
    { sql: deleteItems, values: [products, all] },
    withKeys(`DELETE FROM fill_rest WHERE order_no IN (${numbersOf})`, ids),
    ...upsertRows('orders', 'id', orderColumns, rows),
    { sql: insertItems, values: [products] },
    { sql: insertProducts, values: [products] },
    ...(rests.length > 0 ? [{ sql: insertRest, values: [JSON.stringify(rests)] }] : []),
  ];
}

/** Removes an order that the platform no longer has. */
export function removeOrder(id: string): Statement[] {
  const number = 'SELECT order_no FROM orders WHERE id = ?';
  const bundle = `SELECT 1 FROM order_items WHERE kind = 'bundle' AND order_no IN (${number})`;
  const tables = ['order_items', 'fill_rest', 'orders'];
  return [
    { sql: `${markChanged} (${bundle})`, values: [id] },
    ...tables.map((table) => ({ sql: `DELETE FROM ${table} WHERE order_no IN (${number})`, values: [id] })),
  ];
}

/**
 * Names the bundle that each product of an order is part of, if at least three orders have the bundle: more than half of them list it. Changes only what differs.
 */
export const deriveFromOrders: readonly Statement[] = [
  {
    sql: `INSERT INTO fill_placed (order_no, kind, product_id, bundle)
      WITH carriers AS MATERIALIZED (SELECT order_no, product_id AS bundle FROM order_items WHERE kind = 'bundle'),
      sold AS MATERIALIZED (SELECT bundle, count(*) AS times FROM carriers GROUP BY 1 HAVING times >= 3),
      pairs AS MATERIALIZED (SELECT order_no, bundle, kind, product_id
        FROM carriers JOIN order_items USING (order_no) WHERE kind <> 'bundle'),
      contents AS MATERIALIZED (SELECT bundle, kind, product_id FROM pairs GROUP BY 1, 2, 3
        HAVING 2 * count(*) > (SELECT times FROM sold WHERE sold.bundle = pairs.bundle))
      SELECT order_no, kind, product_id, min(bundle) FROM pairs JOIN contents USING (bundle, kind, product_id) GROUP BY 1, 2, 3`,
  },
  {
    sql: `UPDATE order_items SET via_bundle_id = NULL WHERE via_bundle_id IS NOT NULL
      AND (order_no, kind, product_id) NOT IN (SELECT order_no, kind, product_id FROM fill_placed)`,
  },
  {
    sql: `UPDATE order_items SET via_bundle_id = placed.bundle FROM fill_placed AS placed
      WHERE placed.order_no = order_items.order_no AND placed.kind = order_items.kind
        AND placed.product_id = order_items.product_id AND via_bundle_id IS NOT placed.bundle`,
  },
  { sql: 'DELETE FROM fill_placed' },
];
