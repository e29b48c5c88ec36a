import { type ProductKind, productRef } from '../../insights/sales/product-ref.ts';
import type { ProductsRead } from '../../insights/sales/products-in-order.ts';

/**
 * Whether the products of a record list one. False only if its list of that kind exists and every entry can be
 * read: a missing list, or one with strange entries, may hold the product in an unknown form.
 */
export function listsSurely(
  { products, unread, listed }: ProductsRead,
  kind: ProductKind,
  id: number,
): boolean | undefined {
  if (products.some(({ ref }) => ref === productRef(kind, id))) return true;
  return listed.includes(kind) && !unread.includes(kind) ? false : undefined;
}
