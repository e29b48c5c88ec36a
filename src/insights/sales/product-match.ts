import type { ProductType } from '../../contract/products.ts';
import { composed } from '../../shared/clean-text.ts';
import { type ProductKind, productKinds, productRef } from './sold-order.ts';

/** A product that can be sold, whatever the API calls its type. */
export interface Product {
  /** `course 7`. */
  readonly ref: string;
  readonly kind: ProductKind;
  /** As the API's unified products call it: a challenge, where `kind` says course. */
  readonly type: string;
  readonly id: number;
  readonly title: string | undefined;
  readonly slug: string | undefined;
}

/** As far as an answer tells of it. */
export type KnownProduct = Omit<Product, 'slug' | 'type'>;

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

/** The kinds that a product of this type may be; all where none is said, none for a project, which nobody can buy. */
export function kindsFor(type: ProductType | undefined): readonly ProductKind[] {
  if (type === undefined) return productKinds;
  const kind = kinds[type];
  return kind === undefined ? [] : [kind];
}

/** What to search for: the API keeps challenges apart, which are courses all the same. Undefined: every type at once. */
export function typesToSearch(type: ProductType | undefined): readonly (ProductType | undefined)[] {
  return type === 'course' || type === 'challenge' ? ['course', 'challenge'] : [type];
}

export function productOf(kind: ProductKind, { id, title, slug, product_type, is_challenge }: Found): Product[] {
  const type = product_type ?? (is_challenge === true ? 'challenge' : kind);
  return id === undefined ? [] : [{ ref: productRef(kind, id), kind, type, id, title, slug }];
}

/** Each once, as it stands first. */
export function distinctProducts(products: readonly Product[]): Product[] {
  const refs = products.map(({ ref }) => ref);
  return products.filter(({ ref }, index) => refs.indexOf(ref) === index);
}

/** What a search found, without what cannot be bought, each once: a challenge may stand there as a course too. */
export function sellable(found: readonly Found[]): Product[] {
  const products = found.flatMap((item) => {
    const kind = kinds[item.product_type ?? ''];
    return kind === undefined ? [] : productOf(kind, item);
  });
  return [...new Map(products.map((product) => [product.ref, product])).values()];
}

function plain(text: string | undefined): string {
  return composed((text ?? '').trim().replace(/\s+/g, ' ')).toLowerCase();
}

/** Those whose title or slug is exactly what was asked for, without regard to case. */
export function exactMatches(products: readonly Product[], wanted: string): Product[] {
  return products.filter(({ title, slug }) => plain(title) === plain(wanted) || plain(slug) === plain(wanted));
}

/** Those that have what was asked for in their title or slug. */
export function partMatches(products: readonly Product[], wanted: string): Product[] {
  return products.filter(({ title, slug }) => [title, slug].some((text) => plain(text).includes(plain(wanted))));
}
