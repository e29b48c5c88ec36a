import { holds, type ListedProduct, productKinds, uniqueByRef } from '../sales/sold-order.ts';
import type { OrderLoss } from './order-losses.ts';

/** A product, and the orders that lose it. */
export interface ProductLoss {
  readonly product: ListedProduct;
  /** Bundles with which it came on each of their orders. */
  readonly bundles: readonly ListedProduct[];
  /** The orders that lose it, without those of `bundles`: newest first. */
  readonly orders: readonly OrderLoss[];
}

const loses =
  ({ ref }: ListedProduct) =>
  ({ products }: OrderLoss) =>
    products.some((product) => product.ref === ref);

/** Bundles, then courses, then downloads; each by id. */
function compare(one: ListedProduct, other: ListedProduct): number {
  const place = ({ kind }: ListedProduct) => (kind === 'bundle' ? -1 : productKinds.indexOf(kind));
  return place(one) - place(other) || one.id - other.id;
}

/** The losses by product. An order is named once for each product, but an order of a bundle only at the bundle. */
export function lossesByProduct(losses: readonly OrderLoss[]): ProductLoss[] {
  const products = uniqueByRef(losses.flatMap((loss) => loss.products)).sort(compare);
  const bundles = products.filter(({ kind }) => kind === 'bundle');
  return products.map((product) => {
    const through = bundles.filter(
      (bundle) => product.kind !== 'bundle' && losses.filter(loses(bundle)).every(loses(product)),
    );
    const isNamed = ({ order }: OrderLoss) => through.some(({ ref }) => holds(order, ref));
    return {
      product,
      bundles: through,
      orders: losses.filter((loss) => loses(product)(loss) && !isNamed(loss)),
    };
  });
}
