import type { AnswerOf } from '../../contract/operation.ts';
import { isGranted, type listOrders, type OrderStatus, orderStatuses, order as shown } from '../../contract/orders.ts';
import { parseDecimal } from '../../contract/schemas/decimal.ts';
import { studentEmail } from '../../contract/schemas/input-fields.ts';
import { composed, oneLine } from '../../shared/clean-text.ts';
import { isNothing, isObject, type Json } from '../../shared/json.ts';
import { recordTime } from '../api-time.ts';
import { fitsCurrency, isAmount } from '../money.ts';
import type { UnreadableKind } from '../unreadable.ts';
import { type ListedProduct, type ProductKind, productKinds, readProducts, uniqueByRef } from './products-in-order.ts';

// Fields of an order that the API document does not name and that say that the sale may not count: by their key, or by the value of
// a state. An order with one is never summed, since its amount may have been paid back; the answer names the field and shows the
// sums with it.

const undone =
  /refund|charge_?back|charged_back|disput|cancel|void(_|ed|$)|annul|delet|trash|remov(ed|al)|revok|revoc|revers(ed|al)|returned|fraud|credit_?note|(^|_)(test|sandbox)(_|$)/;
/** Keys of a state: "payment_status". Their value is read as a key is. */
const state =
  /^((payment|financial|order|transaction|charge|billing)_)?(status|state|mode|type|kind|result|outcome|environment|tags?|labels?|flags?)$/;
/** Keys whose false is the mark: "livemode". */
const real = /^(is_)?(live(_?mode)?|valid)$/;
/** Objects whose state is not the order's. */
const others = /subscription|customer|user|student|affiliate|coupon|discount|shipping|fulfil/;
/** A date or a rule for the future is no mark: "refundable_until". */
const isRule = /avoid|able(_|$)|^can_|_until$|deadline|policy|_url$/;
const nothing = /^(|no|none|never|null|false|n\/a|[-+]?0*\.?0*|(not?|non)[-_ ]\w*|un(refund|disput|cancel)\w*)$/i;

const plain = (key: string) => key.replaceAll(/([a-z])([A-Z])/g, '$1_$2').toLowerCase();

const isUndone = (text: string) => undone.test(text) && !isRule.test(text);

function isMark(name: string, value: unknown): boolean {
  if (real.test(name)) return value === false || /^(0|false|no)$/i.test(String(value));
  if (isNothing(value, nothing)) return false;
  const states = state.test(name) ? [value].flat().filter((one) => typeof one === 'string' && one.length <= 40) : [];
  return isUndone(name) || states.some((one) => isUndone(plain(String(one))));
}

/** The paths of the marks in an object: "payment.refunded_at". */
function marksIn(record: Json, known: ReadonlySet<string>, path: string, depth: number): string[] {
  return Object.entries(record).flatMap(([key, value]) => {
    const name = plain(key);
    if (known.has(key)) return [];
    if (isMark(name, value)) return [oneLine(`${path}${key}`, 60)];
    if (depth === 0 || others.test(name)) return [];
    const inner = [value].flat().filter(isObject);
    return inner.flatMap((one) => marksIn(one, new Set(), `${path}${key}.`, depth - 1)).slice(0, 1);
  });
}

const documented: ReadonlySet<string> = new Set(Object.keys(shown.shape));

export function orderMarks(order: Json): string[] {
  return marksIn(order, documented, '', 2);
}

export { type ListedProduct, type ProductKind, productKinds, productRef, uniqueByRef } from './products-in-order.ts';

export type ApiOrder = AnswerOf<typeof listOrders>['items'][number];

/** The fields of an order that sales answers need. Small, since thousands are cached. */
export interface SoldOrder {
  readonly id: string;
  /** Milliseconds since 1970; undefined if the API sent no readable time. */
  readonly at: number | undefined;
  readonly created_at: string | undefined;
  readonly updated_at: string | undefined;
  /** The key of the buyer: the email in lower case. */
  readonly buyer: string;
  readonly email: string | undefined;
  readonly name: string | undefined;
  readonly amount: string | undefined;
  readonly currency: string | undefined;
  /** In lower case if it is documented; otherwise as the API sent it. */
  readonly status: string | undefined;
  readonly country: string | undefined;
  readonly products: readonly ListedProduct[];
  /** Kinds of products that it may list more of than could be read. */
  readonly unread: readonly ProductKind[];
  /** Kinds of products with a readable list, even an empty one. */
  readonly listed: readonly ProductKind[];
  /** Undocumented fields that say that the sale was undone, such as `refunded_at`; absent if there are none. */
  readonly marks?: readonly string[];
  readonly unreadable: readonly UnreadableKind[];
}

/** The same key for every spelling of an email that differs only in case. */
export function buyerKey(email: string): string {
  return composed(email.trim()).toLowerCase();
}

/** Cleans a text that the platform generates: it must not add lines or hide text in an answer. */
function codeOf(text: string | undefined): string | undefined {
  return text === undefined ? undefined : oneLine(text, 200).trim() || undefined;
}

export function statusOf(status: string | undefined): string | undefined {
  const plain = status?.trim().toLowerCase();
  return orderStatuses.find((known) => known === plain) ?? codeOf(status);
}

export function isKnownStatus({ status }: Pick<SoldOrder, 'status'>): boolean {
  return orderStatuses.some((known) => known === status);
}

/** An amount of 0 needs no currency: some platforms send none for granted access. */
function lacksCurrency({ amount, currency }: ApiOrder): boolean {
  return !isGranted(amount) && !/^[a-z]{3}$/i.test(currency?.trim() ?? '');
}

function unreadableIn(order: ApiOrder, unread: readonly ProductKind[], marks: readonly string[]): UnreadableKind[] {
  const checks: [UnreadableKind, boolean][] = [
    ['orders', codeOf(order.id) === undefined],
    ['products', unread.length > 0],
    ['amounts', !isAmount(order.amount) || !fitsCurrency(order.amount, order.currency)],
    ['currencies', lacksCurrency(order)],
    ['dates', recordTime(order.created_at) === undefined],
    ['statuses', !isKnownStatus({ status: statusOf(order.status) })],
    ['emails', !studentEmail.safeParse(order.user_email?.trim()).success],
    ['marks', marks.length > 0],
  ];
  return checks.flatMap(([kind, isUnreadable]) => (isUnreadable ? [kind] : []));
}

/** Keeps only the needed fields. An order without an id is identified by its other fields. */
export function soldOrder(order: ApiOrder): SoldOrder {
  const id = codeOf(order.id) ?? JSON.stringify([order.created_at, order.user_email, order.amount, order.description]);
  const products = readProducts(order);
  const marks = orderMarks(order);
  return {
    id,
    at: recordTime(order.created_at),
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
    ...(marks.length > 0 ? { marks } : {}),
    unreadable: unreadableIn(order, products.unread, marks),
  };
}

/**
 * Two rows of one id, the later one second. Some platforms send a row for each product: their products are one order's. Anything
 * else in which the rows differ is unreadable. If they differ in the time of the last change, the order was read twice, and the
 * later row counts.
 */
function joined(one: SoldOrder, other: SoldOrder): SoldOrder {
  if (one.updated_at !== other.updated_at) return other;
  const isSame = (field: 'amount' | 'currency' | 'status' | 'buyer') => one[field] === other[field];
  const isUnclear = { amounts: !isSame('amount'), currencies: !isSame('currency'), emails: !isSame('buyer') };
  const kinds = (['amounts', 'currencies', 'emails'] as const).filter((kind) => isUnclear[kind]);
  const unread = new Set([...one.unreadable, ...other.unreadable, ...kinds]);
  return {
    ...other,
    ...(isUnclear.amounts || isUnclear.currencies ? { amount: undefined } : {}),
    ...(isUnclear.emails ? { buyer: `order ${other.id}`, email: undefined, name: undefined } : {}),
    ...(isSame('status') ? {} : { status: `${one.status} or ${other.status}` }),
    unreadable: [...unread],
    products: uniqueByRef([...one.products, ...other.products]),
    unread: productKinds.filter((kind) => one.unread.includes(kind) || other.unread.includes(kind)),
    listed: productKinds.filter((kind) => one.listed.includes(kind) || other.listed.includes(kind)),
  };
}

/** Adds orders as the API sent them, later ones last, to those with the same ids. */
export function addOrders(known: Map<string, SoldOrder>, orders: readonly SoldOrder[]): void {
  for (const order of orders) {
    const before = known.get(order.id);
    known.set(order.id, before === undefined ? order : joined(before, order));
  }
}

/** The kind of an order by its amount: `refund` below 0, `unreadable` if it is no decimal number of its currency. */
export type SaleKind = 'bought' | 'granted' | 'refund' | 'unreadable';

export function saleKind(order: Pick<SoldOrder, 'amount' | 'currency'>): SaleKind {
  if (isGranted(order.amount)) return 'granted';
  const value = parseDecimal(order.amount);
  if (value === undefined || !fitsCurrency(order.amount, order.currency)) return 'unreadable';
  return value.units < 0n ? 'refund' : 'bought';
}

/** Amount 0, in any status: granted, free or paid with a coupon. The API does not distinguish these. */
export function isGrantedOrder(order: SoldOrder): boolean {
  return saleKind(order) === 'granted';
}

/** Whether an order lists a product; undefined if its list of that kind could not be read completely. */
export function listsProduct(
  order: SoldOrder,
  { ref, kind }: Pick<ListedProduct, 'ref' | 'kind'>,
): boolean | undefined {
  if (holds(order, ref)) return true;
  return order.unread.includes(kind) ? undefined : false;
}

/** The statuses of paid orders: by card or the like, and from the wallet. */
export const paidStatuses: readonly OrderStatus[] = ['paid', 'wallet_executed'];

/** Whether an order is paid and so gives access: pending and failed orders give none. */
export function isSettled({ status }: Pick<SoldOrder, 'status'>): boolean {
  return paidStatuses.some((paid) => paid === status);
}

/** Pending or failed. An unknown status is neither paid nor unpaid. */
export function isUnpaid(order: Pick<SoldOrder, 'status'>): boolean {
  return isKnownStatus(order) && !isSettled(order);
}

export function holds({ products }: Pick<SoldOrder, 'products'>, ref: string): boolean {
  return products.some((product) => product.ref === ref);
}

/** Newest first, then by id; orders without a time come last. */
export function newestFirst(one: SoldOrder, other: SoldOrder): number {
  const byTime = (other.at ?? Number.NEGATIVE_INFINITY) - (one.at ?? Number.NEGATIVE_INFINITY);
  return byTime || (one.id < other.id ? -1 : 1);
}

/** Groups orders by amount and status; each group newest first. */
export function groupOrders(orders: readonly SoldOrder[]) {
  const sorted = [...orders].sort(newestFirst);
  const settled = (kind: SaleKind) => sorted.filter((order) => isSettled(order) && saleKind(order) === kind);
  return {
    bought: settled('bought'),
    granted: settled('granted'),
    refunds: settled('refund'),
    unpaid: sorted.filter(isUnpaid),
    unclear: settled('unreadable'),
    other: sorted.filter((order) => !isKnownStatus(order)),
  };
}

/** How the student got the products of some orders; undefined if no amount is readable. */
export function howHeld(orders: readonly SoldOrder[]): 'bought' | 'granted' | undefined {
  if (orders.some((order) => saleKind(order) === 'bought')) return 'bought';
  return orders.length > 0 && orders.every(isGrantedOrder) ? 'granted' : undefined;
}

export function givesProducts(order: SoldOrder): boolean {
  return isSettled(order) && saleKind(order) !== 'refund';
}

/** Orders that give a product and list it, oldest first. */
export function ordersWith(orders: readonly SoldOrder[], ref: string): SoldOrder[] {
  return orders.filter((order) => givesProducts(order) && holds(order, ref)).sort((one, two) => newestFirst(two, one));
}

/** Why a product may have been given back, although an order lists it; undefined if nothing shows that. */
export function refundDoubt(orders: readonly SoldOrder[], ref: string): string | undefined {
  const refund = orders.find((order) => isSettled(order) && saleKind(order) === 'refund' && holds(order, ref));
  if (refund !== undefined) return `order ${refund.id} of ${refund.amount} lists it too, which may be a refund`;
  const own = ordersWith(orders, ref);
  const marked = own.every(({ marks }) => marks !== undefined) ? own.at(-1) : undefined;
  return marked && `order ${marked.id} carries ${marked.marks?.join(' and ')}`;
}

/** Orders of bundles alone: what they give beside the bundles is not listed. */
export function ordersOfBundlesAlone(orders: readonly SoldOrder[]): SoldOrder[] {
  const isAlone = ({ products }: SoldOrder) => products.length > 0 && products.every(({ kind }) => kind === 'bundle');
  return orders.filter((order) => givesProducts(order) && isAlone(order));
}
