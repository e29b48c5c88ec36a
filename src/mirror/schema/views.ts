import { column, money, type Table } from './column.ts';

const calendar = ['created_at', 'day', 'week', 'month'] as const;

/** Money came in: paid by card or the like, or from the wallet. */
const isPaid = "orders.status IN ('paid', 'wallet_executed')";

/** One row per product of an order for which money came in. */
export const sales: Table = {
  name: 'sales',
  meaning:
    'one row per product of an order for which money came in (amount 0 left out, contents of bundles included). amount is that of the whole order, so a sum counts an order with several products several times: add amounts over orders, or over DISTINCT order_id',
  columns: [
    column('order_id', ''),
    column('email', ''),
    column('email_key', ''),
    column('name', ''),
    ...calendar.map((name) => column(name, '')),
    column('status', ''),
    ...money.map(({ name }) => column(name, '')),
    column('country', ''),
    column('kind', ''),
    column('product_id', ''),
    column('title', ''),
    column('via_bundle_id', ''),
  ],
  view: `SELECT orders.id AS order_id, orders.email AS email, email_key, name, created_at, day, week, month, status, amount,
    amount_e4, currency, country, kind, product_id, title, via_bundle_id
    FROM orders JOIN order_items USING (order_no)
    WHERE ${isPaid} AND amount_e4 > 0`,
};

/** SQLite takes the other columns from the row with the least `created_ms`, the first order. That needs a single min() or max(). */
export const holdings: Table = {
  name: 'holdings',
  meaning:
    'who holds which product, one row each, by paid and granted orders that list it (student_profile also reads details, refunds and orders of bundles alone)',
  columns: [
    column('email', ''),
    column('email_key', ''),
    column('name', ''),
    column('kind', ''),
    column('product_id', ''),
    column('title', ''),
    column('since', '', 'created_at of the first order that lists it'),
    column('order_id', '', 'that order'),
    column('how', '', 'bought or granted; NULL if no amount could be read'),
  ],
  view: `SELECT email, email_key, name, kind, product_id, title, created_at AS since, id AS order_id, how FROM (
    SELECT orders.email AS email, email_key, name, kind, product_id, title, created_at, id, min(ifnull(created_ms, 9e15)),
      CASE WHEN sum(amount_e4 > 0) > 0 THEN 'bought' WHEN count(amount_e4) = count(*) THEN 'granted' END AS how
    FROM orders JOIN order_items USING (order_no)
    WHERE ${isPaid} AND ifnull(amount_e4, 0) >= 0
    GROUP BY email_key, kind, product_id)`,
};
