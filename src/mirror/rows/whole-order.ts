import { isoTime } from '../../insights/period.ts';
import { type ListedProduct, type ProductKind, productKinds, productRef } from '../../insights/sales/product-ref.ts';
import { buyerKey, type SoldOrder } from '../../insights/sales/sold-order.ts';
import { unreadableKinds } from '../../insights/unreadable.ts';
import { isObject } from '../../shared/json.ts';
import type { Cell } from '../engine/messages.ts';

// An order from its rows, exactly as the API showed it: what the rows do not say is stored beside them.

/** The columns of `orders` that are filled from an order. */
export const orderColumns =
  'id email email_key name created_at created_ms day week month status amount amount_e4 currency country unreadable'.split(
    ' ',
  );

/** Kind, id and title of a product. */
export type ItemCells = readonly [Cell, Cell, Cell];

const textOf = (cell: Cell | undefined) => (typeof cell === 'string' ? cell : undefined);

/** Many orders list the same product: one object for all saves much memory. */
const maxProducts = 5_000;
const products = new Map<string, ListedProduct>();

function productOf([kind, id, title]: ItemCells): ListedProduct[] {
  const known = productKinds.find((one) => one === kind);
  if (known === undefined || typeof id !== 'number') return [];
  const key = JSON.stringify([kind, id, title]);
  if (products.size >= maxProducts) products.clear();
  const product = products.get(key) ?? { ref: productRef(known, id), kind: known, id, title: textOf(title) };
  products.set(key, product);
  return [product];
}

const placeOf = ({ kind }: { kind: ProductKind }) => productKinds.indexOf(kind);

function byKindAndId(one: ListedProduct, other: ListedProduct): number {
  return placeOf(one) - placeOf(other) || one.id - other.id;
}

/** The order that its rows describe. `row`: the cells of `orderColumns`. */
function orderOfRows(row: readonly Cell[], items: readonly ItemCells[]): SoldOrder {
  const cells = Object.fromEntries(orderColumns.map((name, index) => [name, row[index]]));
  const [id, email] = [textOf(cells.id) ?? '', textOf(cells.email)];
  const at = typeof cells.created_ms === 'number' ? cells.created_ms : undefined;
  return {
    id,
    at,
    created_at: at === undefined ? textOf(cells.created_at) : isoTime(at),
    // No question over a period reads it.
    updated_at: undefined,
    buyer: email === undefined ? `order ${id}` : buyerKey(email),
    email,
    name: textOf(cells.name),
    amount: textOf(cells.amount),
    currency: textOf(cells.currency),
    status: textOf(cells.status),
    country: textOf(cells.country),
    products: items.flatMap(productOf).sort(byKindAndId),
    unread: [],
    listed: productKinds,
    unreadable: unreadableKinds.filter((kind) => textOf(cells.unreadable)?.split(', ').includes(kind)),
  };
}

const isSame = (one: unknown, other: unknown) =>
  one === other || (Array.isArray(one) && JSON.stringify(one) === JSON.stringify(other));

/** What the rows of an order do not say, as JSON; undefined if they say everything. */
export function restOf(order: SoldOrder, row: readonly Cell[], items: readonly ItemCells[]): string | undefined {
  const stored = new Map<string, unknown>(Object.entries(orderOfRows(row, items)));
  const others = Object.entries(order).filter(([name, value]) => {
    return name !== 'updated_at' && !isSame(value, stored.get(name));
  });
  if (others.length === 0) return undefined;
  // JSON has no undefined, and no field of an order is null.
  return JSON.stringify(Object.fromEntries(others.map(([name, value]) => [name, value ?? null])));
}

function restIn(rest: Cell): Partial<SoldOrder> {
  const fields: unknown = typeof rest === 'string' ? JSON.parse(rest) : {};
  if (!isObject(fields)) return {};
  // Only this program writes it.
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, value ?? undefined]));
}

/** The whole order. `rest`: what `restOf` returned for it. */
export function wholeOrder(row: readonly Cell[], items: readonly ItemCells[], rest: Cell): SoldOrder {
  return { ...orderOfRows(row, items), ...restIn(rest) };
}
