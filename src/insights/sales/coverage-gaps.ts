import type { OrderStatus } from '../../contract/orders.ts';
import type { Period } from '../period.ts';
import { countUnreadable, type Unreadable, type UnreadableKind } from '../unreadable.ts';
import { isKnownStatus, type ListedProduct, listsProduct, type SoldOrder } from './sold-order.ts';

// What of the orders that were read leaves an answer open.

export interface SaleQuestion {
  readonly statuses: readonly OrderStatus[];
  readonly period: Pick<Period, 'from' | 'to'>;
  /** The period goes on until now. */
  readonly endsNow?: boolean;
}

type Asked = Pick<ListedProduct, 'ref' | 'kind' | 'title'>;

export interface SaleEvidence {
  readonly unreadable: Unreadable;
  /** Orders by a status that the document does not name: they are counted nowhere. */
  readonly unknownStatuses: Readonly<Record<string, number>>;
}

/** Undefined for an order without a time, which may be of any period but that of all time until now. */
export function isInPeriod(
  { at }: SoldOrder,
  { period: { from, to }, endsNow = false }: SaleQuestion,
): boolean | undefined {
  if (at === undefined) return from === undefined && endsNow ? true : undefined;
  return at >= (from ?? Number.NEGATIVE_INFINITY) && at < to;
}

/** A status that is missing is believed to be the one that was asked for. */
export function hasStatus({ status }: SoldOrder, statuses: readonly OrderStatus[]): boolean {
  return status === undefined || statuses.some((wanted) => wanted === status);
}

const plain = (title: string | undefined) => title?.trim().replace(/\s+/g, ' ').toLowerCase() || undefined;

/** How many orders list each id under a title of one kind. */
function idsByTitle(orders: readonly SoldOrder[]): Map<string, Map<number, number>> {
  const titles = new Map<string, Map<number, number>>();
  for (const { kind, id, title } of orders.flatMap(({ products }) => products)) {
    const name = plain(title);
    if (name === undefined) continue;
    const ids = titles.get(`${kind} ${name}`) ?? new Map<number, number>();
    titles.set(`${kind} ${name}`, ids.set(id, (ids.get(id) ?? 0) + 1));
  }
  return titles;
}

/**
 * Tells an id that is that of a row: under one title there are several, and it is on no other order. An id of a product that is
 * sold comes again. For one product that was asked for, its title beside an id that comes once is enough.
 */
function rowIdTest(orders: readonly SoldOrder[], asked: Asked | undefined): (product: ListedProduct) => boolean {
  const titles = idsByTitle(orders);
  return ({ ref, kind, id, title }) => {
    const name = plain(title);
    const ids = titles.get(`${kind} ${name}`) ?? new Map<number, number>();
    if (name === undefined || (ids.get(id) ?? 0) > 1) return false;
    if (asked !== undefined) return ref !== asked.ref && kind === asked.kind && name === plain(asked.title);
    return ids.size > 1 && [...ids.values()].every((times) => times === 1);
  };
}

/** Whether the products of an order leave open what it lists. */
function doubtOf(orders: readonly SoldOrder[], asked: Asked | undefined): (order: SoldOrder) => boolean {
  const isRowId = rowIdTest(orders, asked);
  if (asked === undefined) return ({ unread, products }) => unread.length > 0 || products.some(isRowId);
  // Where no order has a list of that kind, it may be called something else.
  const isKindShown = orders.some(({ listed }) => listed.includes(asked.kind));
  return (order) => {
    const isListed = listsProduct(order, asked);
    return isListed === undefined || (!isListed && (!isKindShown || order.products.some(isRowId)));
  };
}

/**
 * Counts what could not be read of the orders of a question. `orders` are all that were read; those that surely list another
 * product than the one asked for, or surely are of another status or time, do not matter.
 */
export function evidenceOf(orders: readonly SoldOrder[], question: SaleQuestion, asked?: Asked): SaleEvidence {
  const inTime = orders.filter((order) => isInPeriod(order, question) !== false);
  const isDoubtful = doubtOf(inTime, asked);
  const kinds: UnreadableKind[] = [];
  const unknown = new Map<string, number>();
  for (const order of inTime) {
    const inDoubt = isDoubtful(order);
    const isUnknown = order.status !== undefined && !isKnownStatus(order);
    if (!isUnknown && !hasStatus(order, question.statuses)) continue;
    if (!inDoubt && asked !== undefined && listsProduct(order, asked) === false) continue;
    const isUndated = isInPeriod(order, question) === undefined;
    // What is counted nowhere for want of one thing is not counted again for others.
    const first = isUnknown ? (['statuses'] as const) : isUndated ? (['dates'] as const) : undefined;
    const others = first ?? order.unreadable.filter((kind) => kind !== 'products');
    kinds.push(...others, ...(inDoubt ? (['products'] as const) : []));
    if (isUnknown) unknown.set(order.status, (unknown.get(order.status) ?? 0) + 1);
  }
  return { unreadable: countUnreadable(kinds), unknownStatuses: Object.fromEntries(unknown) };
}
