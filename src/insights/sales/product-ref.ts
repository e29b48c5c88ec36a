/** What an order may list. A challenge is a course; what the API calls an offer is a bundle. */
export const productKinds = ['course', 'bundle', 'digital_product'] as const;
export type ProductKind = (typeof productKinds)[number];

export interface ListedProduct {
  /** `course 7`: ids of one kind are not ids of another. */
  readonly ref: string;
  readonly kind: ProductKind;
  readonly id: number;
  readonly title: string | undefined;
}

export function productRef(kind: ProductKind, id: number): string {
  return `${kind} ${id}`;
}
