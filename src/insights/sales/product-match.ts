import type { ProductType } from '../../contract/products.ts';
import { composed } from '../../shared/clean-text.ts';
import { type ProductKind, productKinds, productRef, uniqueByRef } from './product-ref.ts';

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

interface Found {
  product_type?: string | undefined;
  id?: number | undefined;
  title?: string | undefined;
  slug?: string | undefined;
  is_challenge?: boolean | undefined;
}

const kinds: Partial<Record<string, ProductKind>> = {
  course: 'course',
  challenge: 'course',
  bundle: 'bundle',
  offer: 'bundle',
  digital_product: 'digital_product',
} satisfies Partial<Record<ProductType, ProductKind>>;

/** The kinds that a type stands for: all if it is undefined, none for a project, which cannot be bought. */
export function kindsFor(type: ProductType | undefined): readonly ProductKind[] {
  if (type === undefined) return productKinds;
  const kind = kinds[type];
  return kind === undefined ? [] : [kind];
}

/** The types to search for: the API lists challenges separately from courses. Undefined: all types in one search. */
export function typesToSearch(type: ProductType | undefined): readonly (ProductType | undefined)[] {
  return type === 'course' || type === 'challenge' ? ['course', 'challenge'] : [type];
}

export function productOf(kind: ProductKind, { id, title, slug, product_type, is_challenge }: Found): Product[] {
  const type = product_type ?? (is_challenge === true ? 'challenge' : kind);
  return id === undefined ? [] : [{ ref: productRef(kind, id), kind, type, id, title, slug }];
}

/** Each product once; the first entry wins. */
export function distinctProducts(products: readonly Product[]): Product[] {
  const refs = products.map(({ ref }) => ref);
  return products.filter(({ ref }, index) => refs.indexOf(ref) === index);
}

/** The products of a search that can be bought, each once: a challenge may appear as a course too. */
export function sellable(found: readonly Found[]): Product[] {
  const products = found.flatMap((item) => {
    const kind = kinds[item.product_type ?? ''];
    return kind === undefined ? [] : productOf(kind, item);
  });
  return uniqueByRef(products);
}

function plain(text: string | undefined): string {
  return composed((text ?? '').trim().replace(/\s+/g, ' ')).toLowerCase();
}

/** Products whose title or slug equals the wanted text, ignoring case. */
export function exactMatches(products: readonly Product[], wanted: string): Product[] {
  return products.filter(({ title, slug }) => plain(title) === plain(wanted) || plain(slug) === plain(wanted));
}

/** Products whose title or slug contains the wanted text, ignoring case. */
export function partMatches(products: readonly Product[], wanted: string): Product[] {
  return products.filter(({ title, slug }) => [title, slug].some((text) => plain(text).includes(plain(wanted))));
}
