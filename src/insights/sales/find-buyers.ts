import { countEach, groupBy, mostFrequent } from '../../shared/group-by.ts';
import { compareSums, revenueOf } from '../money.ts';
import {
  aloneTotal,
  type BundleContents,
  bundleContents,
  bundleNames,
  chosenProducts,
  isAlone,
  unclearBundles,
} from './bundle-contents.ts';
import {
  givesProducts,
  holds,
  isGrantedOrder,
  newestFirst,
  type SaleKind,
  type SoldOrder,
  saleKind,
  uniqueByRef,
} from './sold-order.ts';

/** Whether orders of amount 0 are counted. `only`: no others are. */
export type GrantedOrders = boolean | 'only';

/** Products as `course 7`. */
export interface BuyerQuestion {
  /** Empty: any product. */
  readonly products: readonly string[];
  readonly match: 'any' | 'all';
  /** Leaves out people who hold one of these by a paid order, even of amount 0. */
  readonly without: readonly string[];
  /** People who hold one of them by an order that is not among the given ones. */
  readonly holders?: ReadonlySet<string> | undefined;
  /** The least number of different products, a bundle counting as one. */
  readonly minProducts: number;
  readonly includeGranted: GrantedOrders;
  /** By default the newest order first. */
  readonly sort?: BuyerSort | undefined;
}

/** `amount`: in the currency of most buyers; those without it come last. */
export const buyerSorts = ['products', 'amount'] as const;
type BuyerSort = (typeof buyerSorts)[number];

function markedOf(kept: readonly SoldOrder[], marked: readonly SoldOrder[]) {
  if (marked.length === 0) return undefined;
  const fields = countEach(marked.flatMap(({ marks = [] }) => marks));
  // `fields`: the number of orders by field, `{refunded_at: 8}`; `with_them`: the sums with them.
  return { orders: marked.length, fields: Object.fromEntries(fields), with_them: revenueOf([...kept, ...marked]) };
}

export type Marked = NonNullable<ReturnType<typeof markedOf>>;

function isCounted(kind: SaleKind, granted: GrantedOrders): boolean {
  return kind === 'granted' ? granted !== false : kind === 'bought' && granted !== 'only';
}

/** The orders to count: no refunds, no unreadable amounts, no marked orders and, unless included, none of amount 0. */
export function countedOrders(orders: readonly SoldOrder[], granted: GrantedOrders): SoldOrder[] {
  return orders.filter((order) => isCounted(saleKind(order), granted) && order.marks === undefined);
}

function countGranted(orders: readonly SoldOrder[]): number {
  return orders.filter(isGrantedOrder).length;
}

/** Counts buyers with a known email: an order without one may belong to any of them. */
export function countBuyers(orders: readonly SoldOrder[]): number {
  return new Set(orders.flatMap(({ buyer, email }) => (email === undefined ? [] : [buyer]))).size;
}

/** `buyers`: people with one of these orders, even if all of theirs have amount 0. `paying`: those with one above 0. */
export function countsOf(orders: readonly SoldOrder[]) {
  return {
    buyers: countBuyers(orders),
    paying: countBuyers(orders.filter((order) => !isGrantedOrder(order))),
    orders: orders.length,
    granted: countGranted(orders),
    revenue: revenueOf(orders),
  };
}

export function totalsOf(
  counted: readonly SoldOrder[],
  all: readonly SoldOrder[],
  granted: GrantedOrders,
  shared_orders: number,
) {
  const left = (kind: SaleKind) =>
    isCounted(kind, granted) ? 0 : all.filter((order) => saleKind(order) === kind).length;
  return {
    ...countsOf(counted),
    granted_excluded: left('granted'),
    /** Orders with further products: the whole amount counts, since the API does not split it. */
    shared_orders,
    // The others are not counted anywhere else: no decimal number, an amount below 0, or a mark such as `refunded_at`.
    unreadable_amounts: left('unreadable'),
    refunds: left('refund'),
    marked: markedOf(
      counted,
      all.filter((order) => isCounted(saleKind(order), granted) && order.marks !== undefined),
    ),
  };
}

export type Totals = ReturnType<typeof totalsOf>;

export function personOf(orders: readonly SoldOrder[]) {
  return {
    email: orders.find(({ email }) => email !== undefined)?.email,
    name: orders.find(({ name }) => name !== undefined)?.name,
  };
}

function byBuyer(orders: readonly SoldOrder[]): Map<string, SoldOrder[]> {
  const named = orders.filter(({ email }) => email !== undefined);
  return groupBy(named, ({ buyer }) => buyer);
}

/** `orders`: newest first. */
function describe(orders: readonly SoldOrder[], { products }: BuyerQuestion, contents: BundleContents) {
  const [only, ...others] = products;
  const isOne = only !== undefined && others.length === 0;
  const listed = orders.flatMap((order) =>
    only === undefined ? chosenProducts(order, contents) : order.products.filter(({ ref }) => products.includes(ref)),
  );
  const isShared = only !== undefined && orders.some((order) => !isAlone(order, products, contents));
  return {
    ...personOf(orders),
    orders,
    granted: countGranted(orders),
    revenue: revenueOf(orders),
    /** Titles of the bundles that the product came in, or perhaps did; empty if it was bought separately. */
    via: isOne ? [...new Set(orders.flatMap((order) => bundleNames(order, only, contents)))] : [],
    /** Those that the question is about; for any product, all without the contents of bundles. */
    products: uniqueByRef(listed),
    alone: isShared ? aloneTotal(orders, products, contents) : undefined,
  };
}

/** `hasPaid`: they also have an order of the products above 0 that was left out. */
export type FoundBuyer = ReturnType<typeof describe> & { readonly hasPaid: boolean };

export function usualCurrency(buyers: readonly FoundBuyer[]): string | undefined {
  return mostFrequent(buyers.flatMap(({ revenue }) => Object.keys(revenue)));
}

/** Buyers with the same number or sum stay newest first. */
function sorted(buyers: readonly FoundBuyer[], sort: BuyerSort | undefined): readonly FoundBuyer[] {
  if (sort === undefined) return buyers;
  const currency = usualCurrency(buyers) ?? '';
  const compare = {
    products: (one: FoundBuyer, other: FoundBuyer) => other.products.length - one.products.length,
    amount: (one: FoundBuyer, other: FoundBuyer) => compareSums(currency, one.revenue, other.revenue),
  };
  return [...buyers].sort(compare[sort]);
}

function isWanted({ products: own }: FoundBuyer, { match, products, minProducts }: BuyerQuestion): boolean {
  const hasAll = match === 'any' || products.every((wanted) => own.some(({ ref }) => ref === wanted));
  return hasAll && own.length >= minProducts;
}

/** The people with a paid order of one of the products, even of amount 0. */
export function holdersOf(orders: readonly SoldOrder[], refs: readonly string[]): Set<string> {
  const isHeld = (order: SoldOrder) => givesProducts(order) && refs.some((ref) => holds(order, ref));
  return new Set(orders.filter(isHeld).map(({ buyer }) => buyer));
}

/** Newest purchase first. `orders`: all of the period, since those of other products show what bundles contain. */
export function findBuyers(orders: readonly SoldOrder[], question: BuyerQuestion) {
  const { products, without, holders, includeGranted, sort } = question;
  const contents = bundleContents(orders);
  const others = holdersOf(orders, without);
  const isHolder = ({ buyer }: SoldOrder) => others.has(buyer) || holders?.has(buyer) === true;
  const isOfProduct = (order: SoldOrder) => products.length === 0 || products.some((ref) => holds(order, ref));
  const matching = orders.filter((order) => isOfProduct(order) && !isHolder(order)).sort(newestFirst);
  const kept = countedOrders(matching, includeGranted);
  const paying = new Set(includeGranted === 'only' ? countedOrders(matching, false).map(({ buyer }) => buyer) : []);
  const people = [...byBuyer(kept)].map(([buyer, own]) => ({
    ...describe(own, question, contents),
    hasPaid: paying.has(buyer),
  }));
  const buyers = sorted(
    people.filter((buyer) => isWanted(buyer, question)),
    sort,
  );
  const isOfAll = question.match === 'all' && products.length > 1;
  // An order without an email has no buyer to check a condition on.
  const isConditional = isOfAll || without.length > 0 || question.minProducts > 1;
  const counted = isConditional ? buyers.flatMap((buyer) => buyer.orders) : kept;
  const isAny = products.length === 0;
  const shared = isAny ? 0 : counted.filter((order) => !isAlone(order, products, contents)).length;
  return {
    buyers,
    totals: totalsOf(counted, matching, includeGranted, shared),
    alone: isAny ? undefined : aloneTotal(counted, products, contents),
    unclear: unclearBundles(counted, products, contents),
    /** People whose orders of amount 0 were left out, with the time of the newest, newest first. */
    granted: (includeGranted === false ? [...byBuyer(matching.filter(isGrantedOrder)).values()] : []).map((own) => {
      return { ...personOf(own), created_at: own[0]?.created_at };
    }),
  };
}

export type FoundBuyers = ReturnType<typeof findBuyers>;
