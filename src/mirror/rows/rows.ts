import { parseDecimal } from '../../contract/schemas/decimal.ts';
import { localTimes, timeOf } from '../../insights/api-time.ts';
import { isoTime } from '../../insights/period.ts';
import { type ListedProduct, productKinds, productRef } from '../../insights/sales/products-in-order.ts';
import { buyerKey, type SoldOrder } from '../../insights/sales/sold-order.ts';
import { unreadableKinds } from '../../insights/unreadable.ts';
import { oneLine } from '../../shared/clean-text.ts';
import { dayMs } from '../../shared/durations.ts';
import type { Cell, Statement } from '../engine/messages.ts';
import { columnsOf } from './tables.ts';

// How records become rows, and orders records again.

export type Row = Readonly<Record<string, Cell>>;

/** Fills created_at, created_ms, day, week and month. */
export type Calendar = (written: string | undefined) => Row;

/** `2026-W46` of a day such as `2026-11-09`, by ISO 8601: a week belongs to the year of its Thursday. */
function weekOf(day: string): string {
  const moment = Date.parse(`${day}T00:00:00Z`);
  const weekday = (new Date(moment).getUTCDay() + 6) % 7;
  const thursday = new Date(moment + (3 - weekday) * dayMs);
  const first = Date.UTC(thursday.getUTCFullYear(), 0, 1);
  const week = Math.floor((thursday.getTime() - first) / (7 * dayMs)) + 1;
  return `${thursday.getUTCFullYear()}-W${String(week).padStart(2, '0')}`;
}

export function createCalendar(timeZone: string): Calendar {
  const localTime = localTimes(timeZone);
  return (written) => {
    const at = timeOf(written);
    if (at === undefined) return { created_at: written?.slice(0, 40) ?? null };
    const day = localTime(at).slice(0, 10);
    return { created_at: isoTime(at), created_ms: at, day, week: weekOf(day), month: day.slice(0, 7) };
  };
}

/** Longest name, title or email, as other tools show it. */
const maxLine = 200;

const lineCell = (value: string | undefined): Cell => (value ? oneLine(value, maxLine) || null : null);

export function emailCells(email: string | undefined): Row {
  const shown = lineCell(email);
  return { email: shown, email_key: typeof shown === 'string' ? buyerKey(shown) : null };
}

function cellOf(value: unknown): Cell {
  if (typeof value === 'string') return lineCell(value);
  if (typeof value === 'boolean') return Number(value);
  return typeof value === 'number' ? value : null;
}

/** The row of a record whose fields have the names of their columns. */
export function rowOf(fields: object): Row {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, cellOf(value)]));
}

/** Rows of one statement: fewer larger ones are faster, but each is one text. */
const batch = 2_000;

/** Inserts rows, or changes those with the same key: their row number stays. One JSON text is four times as fast as bound values. */
export function insertRows(table: string, rows: readonly Row[]): Statement[] {
  const columns = (columnsOf.get(table) ?? Object.keys(rows[0] ?? {})).filter((name) => name !== 'order_no');
  const values = columns.map((_, index) => `value ->> ${index}`).join(', ');
  const changes = columns.filter((name) => name !== 'id').map((name) => `${name} = excluded.${name}`);
  const sql = `INSERT INTO ${table} (${columns.join(', ')}) SELECT ${values} FROM json_each(?) WHERE true
    ON CONFLICT DO UPDATE SET ${changes.join(', ')}`;
  const cells = rows.map((row) => columns.map((name) => row[name] ?? null));
  return Array.from({ length: Math.ceil(rows.length / batch) }, (_, index) => {
    return { sql, values: [JSON.stringify(cells.slice(index * batch, (index + 1) * batch))] };
  });
}

/** Decimal places of the whole numbers in which the mirror has amounts. */
const places = 4;

/** The amount as a whole number of 1/10,000; null if it is none, or would have to be rounded. */
function unitsOf(amount: string | undefined): number | null {
  const value = parseDecimal(amount);
  if (value === undefined) return null;
  const [units, divisor] = [value.units * 10n ** BigInt(places), 10n ** BigInt(value.places)];
  const number = Number(units / divisor);
  return units % divisor === 0n && Number.isSafeInteger(number) ? number : null;
}

function orderRow({ id, email, created_at, unreadable, ...order }: SoldOrder, calendar: Calendar): Row {
  const { name, status, amount, currency, country } = order;
  // Not a literal with spreads, which takes ten times as long.
  return Object.assign(
    { id, amount_e4: unitsOf(amount), unreadable: unreadable.join(', ') || null },
    emailCells(email),
    rowOf({ name, status, amount, currency: currency?.toUpperCase(), country }),
    calendar(created_at),
  );
}

/** Kind, id and title of a product. */
type ItemCells = readonly [Cell, Cell, Cell];

const itemCells = ({ products }: SoldOrder): ItemCells[] =>
  products.map(({ kind, id, title }) => [kind, id, lineCell(title)]);

/** The columns that make an order again. */
export const restoringColumns = [
  ...['id', 'email', 'name', 'created_at', 'created_ms', 'status', 'amount', 'currency', 'country', 'unreadable'],
];

const textOf = (cell: Cell | undefined) => (typeof cell === 'string' ? cell : undefined);

/** In the order in which the API names the kinds, each by id. */
const productsOf = (items: readonly ItemCells[]): ListedProduct[] =>
  productKinds.flatMap((kind) =>
    items
      .flatMap(([of, id, title]) =>
        of === kind && typeof id === 'number' ? [{ ref: productRef(kind, id), kind, id, title: textOf(title) }] : [],
      )
      .sort((one, other) => one.id - other.id),
  );

const maxLists = 5_000;

/** Many orders list the same products, and share one list of them. By the JSON of their cells. */
const lists = new Map<string, readonly ListedProduct[]>();

function productsIn(items: readonly ItemCells[]): readonly ListedProduct[] {
  const key = JSON.stringify(items);
  if (lists.size >= maxLists) lists.clear();
  const products = lists.get(key) ?? productsOf(items);
  lists.set(key, products);
  return products;
}

/** The order that its rows describe. `row`: the cells of `restoringColumns`. */
function restored(row: readonly Cell[], items: readonly ItemCells[]): SoldOrder {
  const [id = '', email, name, created_at, _ms, status, amount, currency, country, unreadable = ''] = row.map(textOf);
  const ms = row[restoringColumns.indexOf('created_ms')];
  const at = typeof ms === 'number' ? ms : undefined;
  return {
    id,
    at,
    created_at: at === undefined ? created_at : isoTime(at),
    // No question over a period reads it.
    updated_at: undefined,
    buyer: email === undefined ? `order ${id}` : buyerKey(email),
    email,
    name,
    amount,
    currency,
    status,
    country,
    products: productsIn(items),
    unread: [],
    listed: productKinds,
    unreadable: unreadableKinds.filter((kind) => unreadable.split(', ').includes(kind)),
  };
}

/** The whole order. `rest`: the order as JSON, if its rows do not say all of it. */
export type OrderCells = readonly [rest: string | null, items: readonly ItemCells[], ...row: Cell[]];
export function orderOf([rest, items, ...row]: OrderCells): SoldOrder {
  return rest === null ? restored(row, items) : (JSON.parse(rest) as SoldOrder);
}

/** `?1`: the products of orders; `?2`: the ids of these orders. */
const deleteItems = `DELETE FROM order_items
  WHERE order_no IN (SELECT order_no FROM orders WHERE id IN (SELECT value FROM json_each(?2)))
    AND (order_id, kind, product_id) NOT IN (SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?1))`;

const insertItems = `INSERT INTO order_items (order_no, order_id, kind, product_id, title, bundle_id)
  SELECT orders.order_no, item.value ->> 0, item.value ->> 1, item.value ->> 2, item.value ->> 3, item.value ->> 4
  FROM json_each(?) AS item JOIN orders ON orders.id = item.value ->> 0 WHERE true
  ON CONFLICT DO UPDATE SET title = excluded.title, bundle_id = excluded.bundle_id`;

/** Products that only orders name. */
const insertProducts = `INSERT OR IGNORE INTO products (kind, product_id, title, is_listed)
  SELECT value ->> 1, value ->> 2, max(value ->> 3), 0 FROM json_each(?) GROUP BY 1, 2`;

/** Stores orders as they are now: what a changed one no longer lists is removed. */
export function storeOrders(orders: readonly SoldOrder[], calendar: Calendar): Statement[] {
  if (orders.length === 0) return [];
  const rows = orders.map((order) => orderRow(order, calendar));
  const items = orders.flatMap((order) => {
    const bundle = order.products.find(({ kind }) => kind === 'bundle')?.id ?? null;
    return itemCells(order).map((cells) => [order.id, ...cells, cells[0] === 'bundle' ? null : bundle]);
  });
  const rests = orders.flatMap((order, index) => {
    const cells = restoringColumns.map((name) => rows[index]?.[name] ?? null);
    const written = JSON.stringify({ ...order, updated_at: undefined });
    const isSaid = written === JSON.stringify(restored(cells, itemCells(order)));
    return isSaid ? [] : [{ id: order.id, rest: written }];
  });
  const [products, all] = [JSON.stringify(items), JSON.stringify(orders.map(({ id }) => id))];
  return [
    { sql: deleteItems, values: [products, all] },
    { sql: 'DELETE FROM fill_rest WHERE id IN (SELECT value FROM json_each(?))', values: [all] },
    ...insertRows('fill_rest', rests),
    ...insertRows('orders', rows),
    { sql: insertItems, values: [products] },
    { sql: insertProducts, values: [products] },
  ];
}

export const removeOrder = (id: string): Statement[] =>
  [
    'DELETE FROM order_items WHERE order_no IN (SELECT order_no FROM orders WHERE id = ?)',
    'DELETE FROM fill_rest WHERE id = ?',
    'DELETE FROM orders WHERE id = ?',
  ].map((sql) => ({ sql, values: [id] }));
