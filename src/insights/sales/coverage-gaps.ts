import type { OrderStatus } from '../../contract/orders.ts';
import type { Period } from '../period.ts';
import { countUnreadable, type Unreadable, type UnreadableKind } from '../unreadable.ts';
import { isKnownStatus, type ListedProduct, listsProduct, type SoldOrder } from './sold-order.ts';

// Finds what in the orders could not be read and may change the answer.

export interface SaleQuestion {
  readonly statuses: readonly OrderStatus[];
  readonly period: Pick<Period, 'from' | 'to'>;
  /**
   * The period ends now. Orders dated from this moment on belong to it, too: they are dated after the clock of the server. Those in
   * between were made while others were read.
   */
  readonly futureFrom?: number;
}

type WantedProduct = Pick<ListedProduct, 'ref' | 'kind' | 'title'>;

export interface CoverageGaps {
  readonly unreadable: Unreadable;
  /** Number of orders by undocumented status: not counted anywhere else. */
  readonly unknownStatuses: Readonly<Record<string, number>>;
}

/** Undefined for an order without a time, which may be in the period or not. It is in one that has no start and ends now. */
export function isInPeriod({ at }: SoldOrder, { period: { from, to }, futureFrom }: SaleQuestion): boolean | undefined {
  if (at === undefined) return from === undefined && futureFrom !== undefined ? true : undefined;
  return at >= (from ?? Number.NEGATIVE_INFINITY) && (at < to || at >= (futureFrom ?? Number.POSITIVE_INFINITY));
}

/** An order without a status is assumed to have a requested one. */
export function hasStatus({ status }: SoldOrder, statuses: readonly OrderStatus[]): boolean {
  return status === undefined || statuses.some((one) => one === status);
}

const plain = (title: string | undefined) => title?.trim().replace(/\s+/g, ' ').toLowerCase() || undefined;

/** Counts, for each kind and title, how many orders list each id. */
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
 * Finds ids that may belong to a row instead of a product: one title has several ids, each on a single order, while the id of a
 * product that sells repeats. For a requested product, its title with another id that occurs once is enough.
 */
function rowIdTest(
  orders: readonly SoldOrder[],
  wanted: WantedProduct | undefined,
): (product: ListedProduct) => boolean {
  const titles = idsByTitle(orders);
  return ({ ref, kind, id, title }) => {
    const name = plain(title);
    const ids = titles.get(`${kind} ${name}`) ?? new Map<number, number>();
    if (name === undefined || (ids.get(id) ?? 0) > 1) return false;
    if (wanted !== undefined) return ref !== wanted.ref && kind === wanted.kind && name === plain(wanted.title);
    return ids.size > 1 && [...ids.values()].every((times) => times === 1);
  };
}

/** Finds orders of bundles that never list what is in them: the wanted product may be in these. */
function bundleAloneTest(orders: readonly SoldOrder[]): (order: SoldOrder, wanted: WantedProduct) => boolean {
  const isAlone = ({ products }: SoldOrder) => products.length > 0 && products.every(({ kind }) => kind === 'bundle');
  const filled = new Set(orders.flatMap((order) => (isAlone(order) ? [] : order.products.map(({ ref }) => ref))));
  return (order, { kind }) => kind !== 'bundle' && isAlone(order) && order.products.some(({ ref }) => !filled.has(ref));
}

/** Returns a test for orders whose list of products is unclear. */
function doubtOf(orders: readonly SoldOrder[], wanted: WantedProduct | undefined): (order: SoldOrder) => boolean {
  const isRowId = rowIdTest(orders, wanted);
  if (wanted === undefined) return ({ unread, products }) => unread.length > 0 || products.some(isRowId);
  // If no order has a list of that kind, the list may have another name.
  const isKindShown = orders.some(({ listed }) => listed.includes(wanted.kind));
  const isBundleAlone = bundleAloneTest(orders);
  return (order) => {
    const isListed = listsProduct(order, wanted);
    return (
      isListed === undefined ||
      (!isListed && (isBundleAlone(order, wanted) || !isKindShown || order.products.some(isRowId)))
    );
  };
}

/**
 * Counts what could not be read in the orders of a question. `orders` are all orders that were read. Ignores an order that
 * certainly lists other products, or certainly has another status or time.
 */
export function coverageGaps(
  orders: readonly SoldOrder[],
  question: SaleQuestion,
  wanted?: WantedProduct,
): CoverageGaps {
  const inTime = orders.filter((order) => isInPeriod(order, question) !== false);
  const isDoubtful = doubtOf(inTime, wanted);
  const kinds: UnreadableKind[] = [];
  const unknown = new Map<string, number>();
  for (const order of inTime) {
    const inDoubt = isDoubtful(order);
    const isUnknown = order.status !== undefined && !isKnownStatus(order);
    if (!isUnknown && !hasStatus(order, question.statuses)) continue;
    if (!inDoubt && wanted !== undefined && listsProduct(order, wanted) === false) continue;
    const isUndated = isInPeriod(order, question) === undefined;
    // An order that one unreadable value excludes is not counted again for its other values.
    const first = isUnknown ? (['statuses'] as const) : isUndated ? (['dates'] as const) : undefined;
    const others = first ?? order.unreadable.filter((kind) => kind !== 'products');
    kinds.push(...others, ...(inDoubt ? (['products'] as const) : []));
    if (isUnknown) unknown.set(order.status, (unknown.get(order.status) ?? 0) + 1);
  }
  return { unreadable: countUnreadable(kinds), unknownStatuses: Object.fromEntries(unknown) };
}
