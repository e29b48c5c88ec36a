import { groupBy } from '../../shared/group-by.ts';
import { type Revenue, revenueOf } from '../money.ts';
import { bundleContents, chosenProducts } from './bundle-contents.ts';
import { personOf } from './find-buyers.ts';
import { isSettled, isUnpaid, type ListedProduct, newestFirst, type SoldOrder } from './sold-order.ts';

export interface UnpaidProduct extends Pick<SoldOrder, 'buyer' | 'email' | 'name'> {
  readonly product: ListedProduct;
  /** The failed and pending orders of this product, newest first. */
  readonly orders: readonly SoldOrder[];
  /** When they last got it, before these orders: their access may have ended. Undefined if they never did. */
  readonly paidAt: number | undefined;
  /** The day on which their access ended: "2026-07-12". */
  readonly endedOn?: string | undefined;
}

/** When each buyer last got a product, in milliseconds since 1970, by "buyer course 7". Infinity: at an unreadable time. */
function lastPaid(orders: readonly SoldOrder[]): Map<string, number> {
  const last = new Map<string, number>();
  for (const { buyer, products, at = Number.POSITIVE_INFINITY } of orders.filter(isSettled)) {
    for (const { ref } of products) last.set(`${buyer} ${ref}`, Math.max(at, last.get(`${buyer} ${ref}`) ?? at));
  }
  return last;
}

const isAfter = ({ at = Number.NEGATIVE_INFINITY }: SoldOrder, paidAt: number | undefined) =>
  paidAt === undefined || at > paidAt;

/**
 * What each buyer with a failed or pending order still lacks, or may lack since access ended, newest first. `orders`: of all
 * statuses. `wanted` (`course 7`) leaves out other products. A bundle is one product, without its contents.
 */
export function unpaidProducts(orders: readonly SoldOrder[], wanted: string | undefined): UnpaidProduct[] {
  const contents = bundleContents(orders);
  const paid = lastPaid(orders);
  const unpaid = orders.filter((order) => isUnpaid(order) && order.email !== undefined).sort(newestFirst);
  const tries = unpaid.flatMap((order) => {
    const tried =
      wanted === undefined ? chosenProducts(order, contents) : order.products.filter(({ ref }) => ref === wanted);
    return tried.map((product) => ({ order, product, key: `${order.buyer} ${product.ref}` }));
  });
  const open = tries.filter(({ order, key }) => isAfter(order, paid.get(key)));
  return [...groupBy(open, ({ key }) => key)].flatMap(([key, own]) => {
    const [last, all] = [own[0], own.map(({ order }) => order)];
    if (last === undefined) return [];
    return { buyer: last.order.buyer, ...personOf(all), product: last.product, orders: all, paidAt: paid.get(key) };
  });
}

/** What is left of a row if `orders` are all that its buyer made: empty if they paid after the last attempt. */
export function afterPayments(row: UnpaidProduct, orders: readonly SoldOrder[]): UnpaidProduct[] {
  const paidAt = lastPaid(orders).get(`${row.buyer} ${row.product.ref}`);
  const open = row.orders.filter((order) => isAfter(order, paidAt));
  return open.length === 0 ? [] : [{ ...row, orders: open, paidAt }];
}

/** What would be paid if each person paid their last order: each order once. */
export function openAmount(rows: readonly UnpaidProduct[]): Revenue {
  const last = rows.flatMap(({ orders }) => orders.slice(0, 1));
  return revenueOf(new Map(last.map((order) => [order.id, order])).values());
}
