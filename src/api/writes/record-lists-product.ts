import { type ProductKind, productRef } from '../../insights/sales/product-ref.ts';
import { readProducts } from '../../insights/sales/products-in-order.ts';

/**
 * Whether a record of an answer lists a product. False only if its list of that kind exists and every entry can be
 * read: a missing list, or one with strange entries, may hold the product in an unknown form.
 */
export function recordListsProduct(
  record: Readonly<Record<string, unknown>>,
  kind: ProductKind,
  id: number,
): boolean | undefined {
  const { products, unread, listed } = readProducts(record);
  if (products.some(({ ref }) => ref === productRef(kind, id))) return true;
  return listed.includes(kind) && !unread.includes(kind) ? false : undefined;
}
