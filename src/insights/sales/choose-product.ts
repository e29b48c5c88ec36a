import type { ProductType } from '../../contract/products.ts';
import { composed, oneLine } from '../../shared/clean-text.ts';
import { AcademyError } from '../../shared/errors.ts';
import { asValue, quoted } from '../../shared/quote-text.ts';
import { hasWords, nearest } from '../../shared/similar-words.ts';
import { type ProductKind, productKinds, productRef, uniqueByRef } from './product-ref.ts';

// Chooses the one product that a person means among those that the API shows.

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
  return products.filter(({ ref }, index) => products.findIndex((one) => one.ref === ref) === index);
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

/** Products whose title or slug has the wanted words, in any order and case, with or without accents. */
export function partMatches(products: readonly Product[], wanted: string): Product[] {
  return products.filter(({ title, slug }) => [title, slug].some((text) => hasWords(text ?? '', wanted)));
}

/** A product in the user's words: title, slug, id or part of the title. */
export interface ProductQuestion {
  product: string;
  product_type?: ProductType | undefined;
}

/** The products that the API showed for a question. */
export interface ProductCandidates {
  readonly products: readonly Product[];
  /** There may be more products than these. */
  readonly isCut: boolean;
  /** Every product matches exactly, by id, title or slug. */
  readonly isExact: boolean;
  /** Other products, whose titles are proposed if none matches. */
  readonly others?: readonly Product[];
}

const maxListed = 12;

function describe({ ref, title, slug }: Product): string {
  const called = `${ref} ${quoted(oneLine(title ?? '', 120))}`;
  return slug === undefined ? called : `${called} (${asValue(oneLine(slug, 120))})`;
}

const ambiguousHint = { hint: 'Call again with the exact title or slug, or with the id and product_type.' };

function severalMatch({ product }: ProductQuestion, candidates: readonly Product[], isCut: boolean): AcademyError {
  const shown = candidates.slice(0, maxListed).map(describe);
  const more = isCut || candidates.length > maxListed ? ' and more' : '';
  const count = `${quoted(oneLine(product, 100))} matches ${candidates.length} products`;
  return new AcademyError('ambiguous_product', `${count}: ${shown.join('; ')}${more}`, ambiguousHint);
}

function noSuchProduct({ product, product_type }: ProductQuestion, others: readonly Product[] = []): AcademyError {
  const named = quoted(oneLine(product, 100));
  const none = `no ${product_type ?? 'product'} that can be bought has the title, slug or id ${named}`;
  const near = nearest(product, others, ({ title }) => title ?? '').map(describe);
  const proposed = near.length === 0 ? '' : `; the nearest titles: ${near.join('; ')}`;
  const message = product_type === 'project' ? `a project cannot be bought: ${named}` : `${none}${proposed}`;
  return new AcademyError('not_found', message, {
    hint: 'Find it with search_products by part of its title, published or not; its id always works.',
  });
}

/** For a search that returned only some results: the product may be among the others. */
function maybeUnseen({ product }: ProductQuestion): AcademyError {
  const unseen = `"${oneLine(product, 100)}" is not among the products that the API returned, but it returned only some, or some are unreadable`;
  return new AcademyError('ambiguous_product', unseen, ambiguousHint);
}

/** The id of a product given by digits; undefined for other text. */
export function productIdIn({ product }: ProductQuestion): number | undefined {
  return /^[1-9]\d{0,14}$/.test(product.trim()) ? Number(product) : undefined;
}

/** The id and the type of "course 7" or "challenge 7", as answers name products; other questions as they are. */
export function questionByRef({ product, product_type }: ProductQuestion): ProductQuestion {
  const [, kind, id] = /^(course|challenge|bundle|digital_product) ([1-9]\d{0,14})$/.exec(product.trim()) ?? [];
  const type = [...productKinds, 'challenge' as const].find((one) => one === kind);
  const isOfType = type !== undefined && kindsFor(product_type).some((one) => kindsFor(type).includes(one));
  return id === undefined || !isOfType ? { product, product_type } : { product: id, product_type: type };
}

/** Throws `not_found` for a type that cannot be bought, before any request. */
export function requirePurchasable(question: ProductQuestion): void {
  if (kindsFor(question.product_type).length === 0) throw noSuchProduct(question);
}

/**
 * Chooses the one product of a question: the only exact match, or else the only candidate. Throws `not_found`, or
 * `ambiguous_product` with the candidates.
 */
export function chooseProduct(question: ProductQuestion, candidates: ProductCandidates): Product {
  const { products, isCut, isExact, others: unlike } = candidates;
  const exact = productIdIn(question) === undefined ? exactMatches(products, question.product) : [];
  const [only, ...others] = exact.length > 0 ? exact : products;
  if (only === undefined) throw isCut ? maybeUnseen(question) : noSuchProduct(question, unlike);
  // A single result must contain the words, and cut results may hide others that do.
  const isMeant = exact.length > 0 || isExact || (!isCut && partMatches([only], question.product).length > 0);
  if (others.length > 0 || !isMeant) throw severalMatch(question, [only, ...others], isCut && exact.length === 0);
  return only;
}
