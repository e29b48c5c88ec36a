import type { OrderStatus } from '../../contract/orders.ts';
import { caseless } from '../../shared/clean-text.ts';
import type { Period } from '../period.ts';
import { countUnreadable, type Unreadable, type UnreadableKind } from '../unreadable.ts';
import { bundleContents } from './bundle-contents.ts';
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

interface CoverageGaps {
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

/** Counts, for each kind and title, how many orders list each id. */
function idsByTitle(orders: readonly SoldOrder[]): Map<string, Map<number, number>> {
  const titles = new Map<string, Map<number, number>>();
  for (const { kind, id, title } of orders.flatMap(({ products }) => products)) {
    const name = caseless(title);
    if (name === '') continue;
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
    const name = caseless(title);
    const ids = titles.get(`${kind} ${name}`) ?? new Map<number, number>();
    if (name === '' || (ids.get(id) ?? 0) > 1) return false;
    if (wanted !== undefined) return ref !== wanted.ref && kind === wanted.kind && name === caseless(wanted.title);
    return ids.size > 1 && [...ids.values()].every((times) => times === 1);
  };
}

/** Returns a test for orders whose list of products is unclear. */
function doubtOf(orders: readonly SoldOrder[], wanted: WantedProduct | undefined): (order: SoldOrder) => boolean {
  const isRowId = rowIdTest(orders, wanted);
  if (wanted === undefined) return ({ unread, products }) => unread.length > 0 || products.some(isRowId);
  // If no order has a list of that kind, the list may have another name.
  const isKindShown = orders.some(({ listed }) => listed.includes(wanted.kind));
  const contents = bundleContents([...orders]);
  /** An order of bundles alone does not show what they contain. */
  const mayCarry = (order: SoldOrder) =>
    wanted.kind !== 'bundle' &&
    order.products.every(({ kind }) => kind === 'bundle') &&
    order.products.some((bundle) => contents(order, bundle.ref, wanted.ref) !== false);
  return (order) => {
    const isListed = listsProduct(order, wanted);
    return isListed === undefined || (!isListed && (!isKindShown || order.products.some(isRowId) || mayCarry(order)));
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

/**
 * The products of these orders that share a title with another id, as a course that was made again does, or have several titles.
 * A person means the title, and counts are by id. Only those of `wanted`, if given.
 */
export function titleConflicts(orders: readonly SoldOrder[], wanted: readonly string[] = []): string[] {
  const byTitle = new Map<string, Map<string, ListedProduct>>();
  const byRef = new Map<string, Map<string, ListedProduct>>();
  // Many orders list the same few products.
  const products = orders.flatMap((order) => order.products).map((one) => [`${one.ref} ${one.title}`, one] as const);
  for (const product of new Map(products).values()) {
    const title = caseless(product.title);
    if (title === '') continue;
    const key = `${product.kind} ${title}`;
    byTitle.set(key, (byTitle.get(key) ?? new Map()).set(product.ref, product));
    byRef.set(product.ref, (byRef.get(product.ref) ?? new Map()).set(title, product));
  }
  const isAsked = (refs: Iterable<string>) => wanted.length === 0 || [...refs].some((ref) => wanted.includes(ref));
  const shared = [...byTitle.values()].filter((own) => own.size > 1 && isAsked(own.keys()));
  const renamed = [...byRef].filter(([ref, titles]) => titles.size > 1 && isAsked([ref]));
  return [
    ...shared.map((own) => `${[...own.keys()].sort().join(' and ')} have one title and are counted separately`),
    ...renamed.map(([ref, titles]) => `${ref} has ${titles.size} titles in these orders`),
  ];
}
