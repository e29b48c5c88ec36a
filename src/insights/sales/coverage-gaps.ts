import type { OrderStatus } from '../../contract/orders.ts';
import { caseless } from '../../shared/clean-text.ts';
import { countEach, groupBy } from '../../shared/group-by.ts';
import type { Period } from '../period.ts';
import { countUnreadable, type UnreadableKind } from '../unreadable.ts';
import { bundleContents } from './bundle-contents.ts';
import { isKnownStatus, type ListedProduct, listsProduct, type SoldOrder } from './sold-order.ts';

// Finds what in the orders could not be read and may change the answer.

export interface SaleQuestion {
  readonly statuses: readonly OrderStatus[];
  readonly period: Period;
  /**
   * The period ends now. Orders dated from this moment on belong to it, too: they are dated after the clock of the server. Those in
   * between were made while others were read.
   */
  readonly futureFrom?: number;
}

export type WantedProduct = Pick<ListedProduct, 'ref' | 'kind' | 'title'>;

/** Undefined for an order without a time, which may be in the period or not. It is in one that has no start and ends now. */
export function isInPeriod({ at }: SoldOrder, { period: { from, to }, futureFrom }: SaleQuestion): boolean | undefined {
  if (at === undefined) return from === undefined && futureFrom !== undefined ? true : undefined;
  return at >= (from ?? Number.NEGATIVE_INFINITY) && (at < to || at >= (futureFrom ?? Number.POSITIVE_INFINITY));
}

/** An order without a status is assumed to have a requested one. */
export function hasStatus({ status }: SoldOrder, statuses: readonly OrderStatus[]): boolean {
  return status === undefined || statuses.some((one) => one === status);
}

const productText = ({ kind, title }: Pick<WantedProduct, 'kind' | 'title'>) => `${kind} ${caseless(title)}`;

/**
 * Finds ids that may belong to a row instead of a product: one title has several ids, each on a single order, while the id of a
 * product that sells repeats. For a requested product, its title with another id that occurs once is enough.
 */
function rowIdTest(
  orders: readonly SoldOrder[],
  wanted: WantedProduct | undefined,
): (product: ListedProduct) => boolean {
  const byName = groupBy(
    orders.flatMap(({ products }) => products),
    productText,
  );
  const counts = new Map([...byName].map(([name, own]) => [name, countEach(own.map(({ ref }) => ref))]));
  return (product) => {
    const refs = counts.get(productText(product)) ?? new Map<string, number>();
    if (caseless(product.title) === '' || (refs.get(product.ref) ?? 0) > 1) return false;
    if (wanted !== undefined) return product.ref !== wanted.ref && productText(product) === productText(wanted);
    return refs.size > 1 && [...refs.values()].every((times) => times === 1);
  };
}

function doubtOf(orders: readonly SoldOrder[], wanted: WantedProduct | undefined): (order: SoldOrder) => boolean {
  const isRowId = rowIdTest(orders, wanted);
  if (wanted === undefined) return ({ unread, products }) => unread.length > 0 || products.some(isRowId);
  // If no order has a list of that kind, the list may have another name.
  const isKindShown = orders.some(({ listed }) => listed.includes(wanted.kind));
  const contents = bundleContents(orders);
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

/** Counts what could not be read, unless the order certainly lists other products, or certainly has another status or time. */
export function coverageGaps(orders: readonly SoldOrder[], question: SaleQuestion, wanted?: WantedProduct) {
  const inTime = orders.filter((order) => isInPeriod(order, question) !== false);
  const isDoubtful = doubtOf(inTime, wanted);
  const kinds: UnreadableKind[] = [];
  const unknown: string[] = [];
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
    if (isUnknown) unknown.push(order.status);
  }
  /** Number of orders by undocumented status: not counted anywhere else. */
  const unknownStatuses = Object.fromEntries(countEach(unknown));
  return { unreadable: countUnreadable(kinds), unknownStatuses };
}

/**
 * The products of these orders that share a title with another id, as a course that was made again does, or have several titles.
 * A person means the title, and counts are by id. Only those of `wanted`, if given.
 */
export function titleConflicts(orders: readonly SoldOrder[], wanted: readonly string[] = []): string[] {
  // Many orders list the same few products.
  const all = [...new Set(orders.flatMap(({ products }) => products))].filter(({ title }) => title?.trim());
  const titled = new Map(all.map((one) => [`${one.ref} ${caseless(one.title)}`, one]));
  const isAsked = (products: readonly ListedProduct[]) =>
    products.length > 1 && (wanted.length === 0 || products.some(({ ref }) => wanted.includes(ref)));
  const shared = [...groupBy(titled.values(), productText).values()].filter(isAsked);
  const renamed = [...groupBy(titled.values(), ({ ref }) => ref).values()].filter(isAsked);
  const refsOf = (products: readonly ListedProduct[]) => products.map(({ ref }) => ref).sort();
  return [
    ...shared.map((own) => `${refsOf(own).join(' and ')} have one title and are counted separately`),
    ...renamed.map((own) => `${own[0]?.ref} has ${own.length} titles in these orders`),
  ];
}
