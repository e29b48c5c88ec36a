import type { SoldOrder } from './sold-order.ts';

/** Whether a bundle brings a product with it; both as `ref`. */
export type Carries = (bundle: string, ref: string) => boolean;

/**
 * What bundles hold, as far as orders show it: the API does not. A bundle carries a product that more than half of the orders
 * with the bundle list; one that was bought beside it stands on few of them. A single order counts as the whole.
 */
export function inferBundleContents(orders: readonly SoldOrder[]): Carries {
  const times = new Map<string, number>();
  const count = (key: string) => void times.set(key, (times.get(key) ?? 0) + 1);
  for (const { products } of orders) {
    for (const bundle of products.filter(({ kind }) => kind === 'bundle')) {
      for (const { ref } of products) count(`${bundle.ref} ${ref}`);
    }
  }
  const of = (bundle: string, ref: string) => times.get(`${bundle} ${ref}`) ?? 0;
  return (bundle, ref) => 2 * of(bundle, ref) > of(bundle, bundle);
}

/** Titles of the bundles through which an order brought a product. No bundle comes in another. */
export function bundlesBringing({ products }: SoldOrder, ref: string, carries: Carries): string[] {
  if (ref.startsWith('bundle ')) return [];
  const bundles = products.filter((product) => product.kind === 'bundle' && carries(product.ref, ref));
  return bundles.map(({ title, ref: bundle }) => title ?? bundle);
}
