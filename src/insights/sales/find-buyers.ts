import { compareSums, type Revenue, revenueOf } from '../money.ts';
import {
  aloneTotal,
  type BundleHolds,
  bundlesCarrying,
  chosenProducts,
  inferBundleContents,
  isAlone,
} from './bundle-contents.ts';
import {
  type Buyer,
  byBuyer,
  countGranted,
  type GrantedOrders,
  largestCount,
  personOf,
  splitGranted,
  type Totals,
  totalsOf,
} from './buyers.ts';
import {
  holds,
  isGrantedOrder,
  isSettled,
  type ListedProduct,
  newestFirst,
  type SoldOrder,
  saleKind,
  uniqueByRef,
} from './sold-order.ts';

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

/** The question about the buyers of one product. */
export function questionAbout(product: string, includeGranted: boolean): BuyerQuestion {
  return { products: [product], match: 'any', without: [], minProducts: 1, includeGranted };
}

/** `amount`: in the currency of most buyers; those without it come last. */
export const buyerSorts = ['products', 'amount'] as const;
export type BuyerSort = (typeof buyerSorts)[number];

export interface FoundBuyer extends Buyer {
  /** The products that the question is about; for any product, all without the contents of bundles. */
  readonly products: readonly ListedProduct[];
  /** Undefined if all orders are of the wanted products alone. */
  readonly alone: Revenue | undefined;
  /** Whether they also have an order of the products above 0 that was left out. */
  readonly hasPaid: boolean;
}

export interface FoundBuyers {
  readonly buyers: readonly FoundBuyer[];
  readonly totals: Totals;
  /** Undefined for any product. */
  readonly alone: Revenue | undefined;
  /** People whose orders of amount 0 were left out, newest first. */
  readonly granted: readonly Pick<Buyer, 'email' | 'name'>[];
}

function productsOf(orders: readonly SoldOrder[], { products }: BuyerQuestion, carries: BundleHolds) {
  const listed = orders.flatMap((order) =>
    products.length === 0 ? chosenProducts(order, carries) : order.products.filter(({ ref }) => products.includes(ref)),
  );
  return uniqueByRef(listed);
}

function describe(orders: readonly SoldOrder[], question: BuyerQuestion, carries: BundleHolds): FoundBuyer {
  const { products } = question;
  const [only, ...others] = products;
  const isShared = products.length > 0 && orders.some((order) => !isAlone(order, products, carries));
  const via =
    only === undefined || others.length > 0 ? [] : orders.flatMap((order) => bundlesCarrying(order, only, carries));
  return {
    ...personOf(orders),
    orders,
    granted: countGranted(orders),
    revenue: revenueOf(orders),
    via: [...new Set(via)],
    products: productsOf(orders, question, carries),
    alone: isShared ? aloneTotal(orders, products, carries) : undefined,
    hasPaid: false,
  };
}

/** The currency of most buyers. */
export function usualCurrency(buyers: readonly FoundBuyer[]): string | undefined {
  return largestCount(buyers.flatMap(({ revenue }) => Object.keys(revenue)));
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

/** Whether the question has a condition on the buyer, besides the orders. */
function isConditional({ match, products, without, minProducts }: BuyerQuestion): boolean {
  return (match === 'all' && products.length > 1) || without.length > 0 || minProducts > 1;
}

function isWanted({ products: own }: FoundBuyer, { match, products, minProducts }: BuyerQuestion): boolean {
  const hasAll = match === 'any' || products.every((wanted) => own.some(({ ref }) => ref === wanted));
  return hasAll && own.length >= minProducts;
}

/** The people with a paid order of one of the products, even of amount 0. */
export function holdersOf(orders: readonly SoldOrder[], refs: readonly string[]): Set<string> {
  const isHeld = (order: SoldOrder) =>
    isSettled(order) && saleKind(order) !== 'refund' && refs.some((ref) => holds(order, ref));
  return new Set(orders.filter(isHeld).map(({ buyer }) => buyer));
}

function totalsFor(
  kept: readonly SoldOrder[],
  all: readonly SoldOrder[],
  question: BuyerQuestion,
  carries: BundleHolds,
) {
  const { products, includeGranted } = question;
  const totals = totalsOf(kept, splitGranted(all, includeGranted).excluded);
  if (products.length === 0) return { totals: { ...totals, shared_orders: 0 }, alone: undefined };
  const shared_orders = kept.filter((order) => !isAlone(order, products, carries)).length;
  return { totals: { ...totals, shared_orders }, alone: aloneTotal(kept, products, carries) };
}

/**
 * The buyers of products, newest purchase first. `orders` are all orders of the period and statuses: the orders of other
 * products show what bundles contain.
 */
export function findBuyers(orders: readonly SoldOrder[], question: BuyerQuestion): FoundBuyers {
  const { products, without, holders, includeGranted } = question;
  const carries = inferBundleContents(orders);
  const others = holdersOf(orders, without);
  const isHolder = ({ buyer }: SoldOrder) => others.has(buyer) || holders?.has(buyer) === true;
  const isOfProduct = (order: SoldOrder) => products.length === 0 || products.some((ref) => holds(order, ref));
  const matching = orders.filter((order) => isOfProduct(order) && !isHolder(order)).sort(newestFirst);
  const { kept } = splitGranted(matching, includeGranted);
  const isKnown = ({ email }: SoldOrder) => email !== undefined;
  const paying = new Set(includeGranted === 'only' ? splitGranted(matching, false).kept.map(({ buyer }) => buyer) : []);
  const people = [...byBuyer(kept.filter(isKnown))].map(([buyer, own]) => ({
    ...describe(own, question, carries),
    hasPaid: paying.has(buyer),
  }));
  const buyers = sorted(
    people.filter((buyer) => isWanted(buyer, question)),
    question.sort,
  );
  // An order without an email belongs to nobody who could meet a condition.
  const counted = isConditional(question) ? buyers.flatMap((buyer) => buyer.orders) : kept;
  const left = includeGranted !== false ? [] : matching.filter((order) => isGrantedOrder(order) && isKnown(order));
  const granted = [...byBuyer(left).values()].map(personOf);
  return { buyers, ...totalsFor(counted, matching, question, carries), granted };
}
