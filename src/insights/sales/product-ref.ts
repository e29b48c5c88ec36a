/** Kinds of products on an order. A challenge is a course; an offer of the API is a bundle. */
export const productKinds = ['course', 'bundle', 'digital_product'] as const;
export type ProductKind = (typeof productKinds)[number];

export interface ListedProduct {
  /** `course 7`: an id is unique only within its kind. */
  readonly ref: string;
  readonly kind: ProductKind;
  readonly id: number;
  readonly title: string | undefined;
}

export function productRef(kind: ProductKind, id: number): string {
  return `${kind} ${id}`;
}

/** Each product once, at its first position; the last entry wins. */
export function uniqueByRef<Item extends { readonly ref: string }>(products: readonly Item[]): Item[] {
  return [...new Map(products.map((product) => [product.ref, product])).values()];
}
