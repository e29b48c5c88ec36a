import type { SoldOrder } from '../../insights/sales/sold-order.ts';
import type { Cell, Statement } from '../engine/messages.ts';
import type { TimeCells } from './calendar.ts';
import { emailCells, lineCell, unitsOf } from './cells.ts';
import { upsertRows, withKeys } from './insert-rows.ts';

type CalendarCells = (written: string | undefined) => TimeCells;

const orderColumns =
  'id email email_key name created_at created_ms day week month status amount amount_e4 currency country unreadable'.split(
    ' ',
  );

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
function itemRows({ id, products }: SoldOrder): Cell[][] {
  return products.map(({ kind, id: product, title }) => [id, kind, product, lineCell(title)]);
}

const insertItems = `INSERT OR REPLACE INTO order_items (order_no, order_id, kind, product_id, title)
  SELECT orders.order_no, item.value ->> 0, item.value ->> 1, item.value ->> 2, item.value ->> 3
  FROM json_each(?) AS item JOIN orders ON orders.id = item.value ->> 0`;

const numbersOf = 'SELECT order_no FROM orders WHERE id IN (SELECT value FROM json_each(?))';

/** Stores orders as they are now: what a changed one no longer lists is removed. */
export function storeOrders(orders: readonly SoldOrder[], calendar: CalendarCells): Statement[] {
  if (orders.length === 0) return [];
  const ids = orders.map(({ id }) => id);
  const rows = orders.map((order) => orderRow(order, calendar));
  return [
    withKeys(`DELETE FROM order_items WHERE order_no IN (${numbersOf})`, ids),
    ...upsertRows('orders', 'id', orderColumns, rows),
    { sql: insertItems, values: [JSON.stringify(orders.flatMap(itemRows))] },
  ];
}

/** Removes the orders of a period that the platform no longer has. */
export function removeOtherOrders(ids: readonly string[], from: number, to: number): Statement[] {
  const gone = `SELECT order_no FROM orders WHERE created_ms >= ? AND created_ms < ? AND id NOT IN (SELECT value FROM json_each(?))`;
  return [
    withKeys(`DELETE FROM order_items WHERE order_no IN (${gone})`, ids, [from, to]),
    withKeys(`DELETE FROM orders WHERE order_no IN (${gone})`, ids, [from, to]),
  ];
}

/**
 * Names the bundle that each product of an order is part of, by the same rule as `inferBundleContents`: more than half of the
 * orders with the bundle list it. Changes only what differs. Also adds products that only orders name.
 */
export const deriveFromOrders: readonly Statement[] = [
  {
    sql: `INSERT INTO fill_placed (order_no, kind, product_id, bundle)
      WITH carriers AS MATERIALIZED (SELECT order_no, product_id AS bundle FROM order_items WHERE kind = 'bundle'),
      sold AS MATERIALIZED (SELECT bundle, count(*) AS times FROM carriers GROUP BY 1),
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
  {
    sql: `INSERT OR IGNORE INTO products (kind, product_id, title, is_listed)
      SELECT kind, product_id, max(title), 0 FROM order_items GROUP BY kind, product_id`,
  },
];
