import type { ListedProduct, SoldOrder } from './sold-order.ts';

// A course that was made again has a new id under the old title, and a renamed one has two titles. Counts by id are then not
// what a person means by the title, so the answer says it.

const plain = (title: string | undefined) => title?.trim().replace(/\s+/g, ' ').toLowerCase() || undefined;

/** The products of these orders that share a title with another id, or have several titles; only those of `wanted`, if given. */
export function titleConflicts(orders: readonly SoldOrder[], wanted: readonly string[] = []): string[] {
  const byTitle = new Map<string, Map<string, ListedProduct>>();
  const byRef = new Map<string, Map<string, ListedProduct>>();
  const seen = new Set<string>();
  for (const product of orders.flatMap(({ products }) => products)) {
    // Many orders list the same few products.
    const written = `${product.ref} ${product.title}`;
    const title = seen.has(written) ? undefined : plain(product.title);
    seen.add(written);
    if (title === undefined) continue;
    const key = `${product.kind} ${title}`;
    byTitle.set(key, (byTitle.get(key) ?? new Map()).set(product.ref, product));
    byRef.set(product.ref, (byRef.get(product.ref) ?? new Map()).set(title, product));
  }
  const isAsked = (refs: Iterable<string>) => wanted.length === 0 || [...refs].some((ref) => wanted.includes(ref));
  const shared = [...byTitle.values()].filter((own) => own.size > 1 && isAsked(own.keys()));
  const renamed = [...byRef].filter(([ref, titles]) => titles.size > 1 && isAsked([ref]));
  return [
    ...shared.map((own) => `${[...own.keys()].sort().join(' and ')} have one title and are counted apart`),
    ...renamed.map(([ref, titles]) => `${ref} has ${titles.size} titles in these orders`),
  ];
}
