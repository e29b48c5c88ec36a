import { type ProductKind, productRef } from '../../insights/sales/product-ref.ts';
import { readProducts } from '../../insights/sales/products-in-order.ts';

/**
 * Whether a record lists a product in a list of that kind. False only where there is such a list and every entry of it can be
 * read: a list that is left out, or holds something else, may be one that nobody here can read.
 */
export function lists(record: Readonly<Record<string, unknown>>, kind: ProductKind, id: number): boolean | undefined {
  const { products, unread, listed } = readProducts(record);
  if (products.some(({ ref }) => ref === productRef(kind, id))) return true;
  return listed.includes(kind) && !unread.includes(kind) ? false : undefined;
}
