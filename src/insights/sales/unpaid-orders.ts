import { type Revenue, revenueOf } from '../money.ts';
import { inferBundleContents } from './bundle-contents.ts';
import { personOf } from './buyers.ts';
import { chosenProducts } from './order-value.ts';
import { holds, isSettled, type ListedProduct, newestFirst, type SoldOrder } from './sold-order.ts';

/** What a person tried to buy and did not pay for. */
export interface UnpaidProduct {
  readonly buyer: string;
  readonly email: string | undefined;
  readonly name: string | undefined;
  readonly product: ListedProduct;
  /** The failed and pending orders of it, newest first. */
  readonly orders: readonly SoldOrder[];
}

const isUnpaid = ({ status }: SoldOrder) => status === 'failed' || status === 'pending';

/** The products that each buyer has by a paid or granted order: "buyer course 7". */
function paidFor(orders: readonly SoldOrder[]): Set<string> {
  return new Set(
    orders.filter(isSettled).flatMap(({ buyer, products }) => products.map(({ ref }) => `${buyer} ${ref}`)),
  );
}

/**
 * What each buyer with a failed or pending order still lacks, as far as `orders` show, newest first. `orders` are those of all
 * statuses; `wanted` (`course 7`) leaves out other products. A bundle is one product, without its contents.
 */
export function unpaidProducts(orders: readonly SoldOrder[], wanted: string | undefined): UnpaidProduct[] {
  const carries = inferBundleContents(orders);
  const paid = paidFor(orders);
  const rows = new Map<string, { product: ListedProduct; orders: SoldOrder[] }>();
  const unpaid = orders.filter((order) => isUnpaid(order) && order.email !== undefined).sort(newestFirst);
  for (const order of unpaid) {
    const tried =
      wanted === undefined ? chosenProducts(order, carries) : order.products.filter(({ ref }) => ref === wanted);
    for (const product of tried) {
      const key = `${order.buyer} ${product.ref}`;
      if (paid.has(key)) continue;
      const row = rows.get(key) ?? { product, orders: [] };
      row.orders.push(order);
      rows.set(key, row);
    }
  }
  return [...rows.values()].flatMap((row) => {
    const [last] = row.orders;
    return last === undefined ? [] : [{ buyer: last.buyer, ...personOf(row.orders), ...row }];
  });
}

/** Whether orders of a student show that they have the product. */
export function hasPaid(orders: readonly SoldOrder[], { buyer, product }: UnpaidProduct): boolean {
  return orders.some((order) => order.buyer === buyer && isSettled(order) && holds(order, product.ref));
}

/** What would be paid if each person paid their last order: each order once. */
export function openAmount(rows: readonly UnpaidProduct[]): Revenue {
  const last = rows.flatMap(({ orders }) => orders.slice(0, 1));
  return revenueOf(new Map(last.map((order) => [order.id, order])).values());
}
