import type * as z from 'zod';
import { isGranted, type OrderStatus, type order, orderStatuses } from '../../contract/orders.ts';
import { parseDecimal } from '../../contract/schemas/decimal.ts';
import type { Tolerant } from '../../contract/schemas/response.ts';
import { studentEmail } from '../../contract/schemas/shared-arguments.ts';
import { composed, oneLine } from '../../shared/clean-text.ts';
import { timeOf } from '../api-time.ts';
import { isAmount } from '../money.ts';
import type { UnreadableKind } from '../unreadable.ts';
import type { ListedProduct, ProductKind } from './product-ref.ts';
import { readProducts } from './products-in-order.ts';

export { type ListedProduct, type ProductKind, productKinds, productRef } from './product-ref.ts';

export type ApiOrder = Tolerant<z.infer<typeof order>>;

/** An order as far as questions about sales need it: thousands of them are kept for a while. */
export interface SoldOrder {
  readonly id: string;
  /** Milliseconds since 1970; undefined where the API told no time. */
  readonly at: number | undefined;
  readonly created_at: string | undefined;
  readonly updated_at: string | undefined;
  /** The buyer: their email without regard to case. */
  readonly buyer: string;
  readonly email: string | undefined;
  readonly name: string | undefined;
  readonly amount: string | undefined;
  readonly currency: string | undefined;
  /** In small letters, where it is one that the document names; any other as it is. */
  readonly status: string | undefined;
  readonly country: string | undefined;
  readonly products: readonly ListedProduct[];
  /** Kinds of products of which it may list more than could be read. */
  readonly unread: readonly ProductKind[];
  /** Kinds of which it has a readable list, be it empty. */
  readonly listed: readonly ProductKind[];
  /** What of it could not be read. */
  readonly unreadable: readonly UnreadableKind[];
}

/** One buyer, however they typed their email. */
export function buyerKey(email: string): string {
  return composed(email.trim()).toLowerCase();
}

/** The platform makes these texts, and they are shown beside others: none may add a line or hide anything. */
function codeOf(text: string | undefined): string | undefined {
  return text === undefined ? undefined : oneLine(text, 200).trim() || undefined;
}

export function statusOf(status: string | undefined): string | undefined {
  const plain = status?.trim().toLowerCase();
  return orderStatuses.find((known) => known === plain) ?? codeOf(status);
}

function isStatus(status: string | undefined): status is OrderStatus {
  return orderStatuses.some((known) => known === status);
}

/** An amount of 0 needs no currency: where access is given, some platforms show none. */
function lacksCurrency({ amount, currency }: ApiOrder): boolean {
  return !isGranted(amount) && !/^[a-z]{3}$/i.test(currency?.trim() ?? '');
}

function unreadableIn(order: ApiOrder, unread: readonly ProductKind[]): UnreadableKind[] {
  const checks: [UnreadableKind, boolean][] = [
    ['orders', codeOf(order.id) === undefined],
    ['products', unread.length > 0],
    ['amounts', !isAmount(order.amount)],
    ['currencies', lacksCurrency(order)],
    ['dates', timeOf(order.created_at) === undefined],
    ['statuses', !isStatus(statusOf(order.status))],
    ['emails', !studentEmail.safeParse(order.user_email?.trim()).success],
  ];
  return checks.flatMap(([kind, isUnreadable]) => (isUnreadable ? [kind] : []));
}

/** Makes an order small. One without an id is known by what else it says. */
export function soldOrder(order: ApiOrder): SoldOrder {
  const id = codeOf(order.id) ?? JSON.stringify([order.created_at, order.user_email, order.amount, order.description]);
  const products = readProducts(order);
  return {
    id,
    at: timeOf(order.created_at),
    created_at: codeOf(order.created_at),
    updated_at: codeOf(order.updated_at),
    buyer: order.user_email === undefined ? `order ${id}` : buyerKey(order.user_email),
    email: order.user_email,
    name: order.user_name,
    amount: order.amount,
    currency: codeOf(order.currency),
    status: statusOf(order.status),
    country: order.billing_country?.trim() || undefined,
    ...products,
    unreadable: unreadableIn(order, products.unread),
  };
}

/** What an order was: `refund` for an amount below 0, `unreadable` for one that is no decimal number. */
export type SaleKind = 'bought' | 'granted' | 'refund' | 'unreadable';

export function saleKind({ amount }: Pick<SoldOrder, 'amount'>): SaleKind {
  if (isGranted(amount)) return 'granted';
  const value = parseDecimal(amount);
  if (value === undefined) return 'unreadable';
  return value.units < 0n ? 'refund' : 'bought';
}

/** Amount 0, whatever the status: mostly access that an admin gave; the API does not tell it from a free product or a coupon. */
export function isGrantedOrder(order: SoldOrder): boolean {
  return saleKind(order) === 'granted';
}

/** One of the statuses that the document names. */
export function isKnownStatus({ status }: SoldOrder): boolean {
  return isStatus(status);
}

/** Whether an order lists a product; undefined where its list of that kind could not be read whole. */
export function listsProduct(
  order: SoldOrder,
  { ref, kind }: Pick<ListedProduct, 'ref' | 'kind'>,
): boolean | undefined {
  if (holds(order, ref)) return true;
  return order.unread.includes(kind) ? undefined : false;
}

/** The statuses of money that came in: from a card or the like, and from the wallet. */
export const paidStatuses: readonly OrderStatus[] = ['paid', 'wallet_executed'];

export function holds({ products }: SoldOrder, ref: string): boolean {
  return products.some((product) => product.ref === ref);
}

/** Newest first; orders without a time stand last. Equal times are in order of their ids. */
export function newestFirst(one: SoldOrder, other: SoldOrder): number {
  const byTime = (other.at ?? Number.NEGATIVE_INFINITY) - (one.at ?? Number.NEGATIVE_INFINITY);
  return byTime || (one.id < other.id ? -1 : 1);
}
