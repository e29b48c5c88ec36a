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

/** A product that can be bought. */
export interface Product {
  /** `course 7`. */
  readonly ref: string;
  readonly kind: ProductKind;
  /** The type in the API's unified products: "challenge" for a challenge, whose `kind` is course. */
  readonly type: string;
  readonly id: number;
  readonly title: string | undefined;
  readonly slug: string | undefined;
}

/** The part of a product that answers show. `type` may be missing if it is the kind. */
export type KnownProduct = Omit<Product, 'slug' | 'type'> & { readonly type?: string | undefined };

export function productRef(kind: ProductKind, id: number): string {
  return `${kind} ${id}`;
}

/** Each product once, at its first position; the last entry wins. */
export function uniqueByRef<Item extends { readonly ref: string }>(products: readonly Item[]): Item[] {
  if (products.length < 2) return [...products];
  return [...new Map(products.map((product) => [product.ref, product])).values()];
}
