import { type Revenue, revenueOf } from '../money.ts';
import { type BundleHolds, bundlesCarrying, inferBundleContents } from './bundle-contents.ts';
import { type Buyer, byBuyer, countGranted, personOf, splitGranted, type Totals, totalsOf } from './buyers.ts';
import { aloneTotal, chosenProducts, isAlone } from './order-value.ts';
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
  readonly includeGranted: boolean;
}

export interface FoundBuyer extends Buyer {
  /** The products that the question is about; for any product, all without the contents of bundles. */
  readonly products: readonly ListedProduct[];
  /** Undefined if all orders are of the wanted products alone. */
  readonly alone: Revenue | undefined;
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
  };
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
  const people = [...byBuyer(kept.filter(isKnown)).values()].map((own) => describe(own, question, carries));
  const buyers = people.filter((buyer) => isWanted(buyer, question));
  // An order without an email belongs to nobody who could meet a condition.
  const counted = isConditional(question) ? buyers.flatMap((buyer) => buyer.orders) : kept;
  const left = includeGranted ? [] : matching.filter((order) => isGrantedOrder(order) && isKnown(order));
  const granted = [...byBuyer(left).values()].map(personOf);
  return { buyers, ...totalsFor(counted, matching, question, carries), granted };
}
