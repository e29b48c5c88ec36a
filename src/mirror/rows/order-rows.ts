import type { SoldOrder } from '../../insights/sales/sold-order.ts';
import type { Cell, Statement } from '../engine/messages.ts';
import type { TimeCells } from './calendar.ts';
import { emailCells, lineCell, unitsOf } from './cells.ts';
import { insertRows, withKeys } from './insert-rows.ts';

type CalendarCells = (written: string | undefined) => TimeCells;

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
  return products.map(({ kind, id: product, title }) => [id, kind, product, lineCell(title), null]);
}

/** Stores orders as they are now: what a changed one no longer lists is removed. */
export function storeOrders(orders: readonly SoldOrder[], calendar: CalendarCells): Statement[] {
  if (orders.length === 0) return [];
  const ids = orders.map(({ id }) => id);
  return [
    withKeys('DELETE FROM order_items WHERE order_id IN (SELECT value FROM json_each(?))', ids),
    ...insertRows(
      'orders',
      orders.map((order) => orderRow(order, calendar)),
    ),
    ...insertRows('order_items', orders.flatMap(itemRows)),
  ];
}

/** Removes the orders of a period that the platform no longer has. */
export function removeOtherOrders(ids: readonly string[], from: number, to: number): Statement[] {
  const gone = `SELECT id FROM orders WHERE created_ms >= ? AND created_ms < ? AND id NOT IN (SELECT value FROM json_each(?))`;
  return [
    withKeys(`DELETE FROM order_items WHERE order_id IN (${gone})`, ids, [from, to]),
    withKeys(`DELETE FROM orders WHERE id IN (${gone})`, ids, [from, to]),
  ];
}

const isOfBundle = "kind <> 'bundle' AND order_id IN (SELECT order_id FROM order_items WHERE kind = 'bundle')";

/**
 * Names the bundle that each product of an order is part of, by the same rule as `inferBundleContents`: more than half of the
 * orders with the bundle list it. Also adds products that only orders name.
 */
export const deriveFromOrders: readonly Statement[] = [
  {
    sql: `UPDATE order_items SET via_bundle_id = NULL WHERE via_bundle_id IS NOT NULL`,
  },
  {
    sql: `WITH sold AS MATERIALIZED (SELECT product_id AS bundle, count(*) AS times FROM order_items WHERE kind = 'bundle' GROUP BY 1),
      contents AS MATERIALIZED (SELECT carrier.product_id AS bundle, item.kind AS kind, item.product_id AS product
        FROM order_items AS carrier JOIN order_items AS item ON item.order_id = carrier.order_id
        WHERE carrier.kind = 'bundle' AND item.kind <> 'bundle' GROUP BY 1, 2, 3
        HAVING 2 * count(*) > (SELECT times FROM sold WHERE sold.bundle = carrier.product_id))
      UPDATE order_items SET via_bundle_id = (SELECT min(carrier.product_id) FROM order_items AS carrier
        JOIN contents ON contents.bundle = carrier.product_id
          AND contents.kind = order_items.kind AND contents.product = order_items.product_id
        WHERE carrier.order_id = order_items.order_id AND carrier.kind = 'bundle')
      WHERE ${isOfBundle}`,
  },
  {
    sql: `INSERT OR IGNORE INTO products (kind, product_id, title, is_listed)
      SELECT kind, product_id, max(title), 0 FROM order_items GROUP BY kind, product_id`,
  },
];
