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

/** Those that make an order again. */
export const wholeColumns = 'id email name created_at created_ms status amount currency country unreadable'.split(' ');
const places = wholeColumns.map((name) => orderColumns.indexOf(name));

/** Kind, id and title of a product. */
export type ItemCells = readonly [Cell, Cell, Cell];

const textOf = (cell: Cell | undefined) => (typeof cell === 'string' ? cell : undefined);

function productOf([kind, id, title]: ItemCells): ListedProduct[] {
  const known = productKinds.find((one) => one === kind);
  if (known === undefined || typeof id !== 'number') return [];
  return [{ ref: productRef(known, id), kind: known, id, title: textOf(title) }];
}

const placeOf = ({ kind }: { kind: ProductKind }) => productKinds.indexOf(kind);

function byKindAndId(one: ListedProduct, other: ListedProduct): number {
  return placeOf(one) - placeOf(other) || one.id - other.id;
}

const productsOf = (items: readonly ItemCells[]) => items.flatMap(productOf).sort(byKindAndId);

/** Many orders list the same products: one list for all of them saves time and memory. */
const maxLists = 5_000;
const lists = new Map<string, readonly ListedProduct[]>();

function productsIn(json: string): readonly ListedProduct[] {
  if (lists.size >= maxLists) lists.clear();
  // A statement of this program makes it.
  const products = lists.get(json) ?? productsOf(JSON.parse(json) as ItemCells[]);
  lists.set(json, products);
  return products;
}

const none: SoldOrder['unread'] = [];

function unreadableIn(cell: Cell | undefined): SoldOrder['unreadable'] {
  const names = textOf(cell)?.split(', ') ?? [];
  return names.length === 0 ? [] : unreadableKinds.filter((kind) => names.includes(kind));
}

/** The order that its rows describe. `row`: the cells of `wholeColumns`. */
function orderOfRow(row: readonly Cell[], products: readonly ListedProduct[]): SoldOrder {
  const [id, email, name, created_at, created_ms, status, amount, currency, country, unreadable] = row;
  const at = typeof created_ms === 'number' ? created_ms : undefined;
  const buyer = textOf(email);
  return {
    id: textOf(id) ?? '',
    at,
    created_at: at === undefined ? textOf(created_at) : isoTime(at),
    // No question over a period reads it.
    updated_at: undefined,
    buyer: buyer === undefined ? `order ${id}` : buyerKey(buyer),
    email: buyer,
    name: textOf(name),
    amount: textOf(amount),
    currency: textOf(currency),
    status: textOf(status),
    country: textOf(country),
    products,
    unread: none,
    listed: productKinds,
    unreadable: unreadableIn(unreadable),
  };
}

const isSame = (one: unknown, other: unknown) =>
  one === other || (Array.isArray(one) && JSON.stringify(one) === JSON.stringify(other));

/** What the rows of an order do not say, as JSON; undefined if they say everything. `row`: the cells of `orderColumns`. */
export function restOf(order: SoldOrder, row: readonly Cell[], items: readonly ItemCells[]): string | undefined {
  const cells = places.map((place) => row[place] ?? null);
  const stored = new Map<string, unknown>(Object.entries(orderOfRow(cells, productsOf(items))));
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

/** The whole order. `row`: the cells of `wholeColumns`; `items`: `ItemCells` as JSON; `rest`: what `restOf` returned. */
export function wholeOrder(row: readonly Cell[], items: string, rest: Cell): SoldOrder {
  const order = orderOfRow(row, productsIn(items));
  return rest === null ? order : { ...order, ...restIn(rest) };
}
