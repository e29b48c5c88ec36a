import type { ProductType } from '../../contract/products.ts';
import { oneLine } from '../../shared/clean-text.ts';
import { AcademyError } from '../../shared/errors.ts';
import { asValue, quoted } from '../../shared/quote-text.ts';
import { exactMatches, kindsFor, type Product, partMatches } from './product-match.ts';
import { productKinds } from './product-ref.ts';

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
}

const maxListed = 12;

function describe({ ref, title, slug }: Product): string {
  const called = `${ref} ${quoted(oneLine(title ?? '', 120))}`;
  return slug === undefined ? called : `${called} (${asValue(oneLine(slug, 120))})`;
}

function ambiguous({ product }: ProductQuestion, candidates: readonly Product[], isCut: boolean): AcademyError {
  const shown = candidates.slice(0, maxListed).map(describe);
  const more = isCut || candidates.length > maxListed ? ' and more' : '';
  return new AcademyError(
    'ambiguous_product',
    `${quoted(oneLine(product, 100))} matches ${candidates.length} products: ${shown.join('; ')}${more}`,
    { hint: 'Call again with the exact title or slug, or with the id and product_type.' },
  );
}

function noSuchProduct({ product, product_type }: ProductQuestion): AcademyError {
  const named = quoted(oneLine(product, 100));
  const none = `no ${product_type ?? 'product'} that can be bought has the title, slug or id ${named}`;
  const message = product_type === 'project' ? `a project cannot be bought: ${named}` : none;
  return new AcademyError('not_found', message, {
    hint: 'Find it with search_products by part of its title, published or not; its id always works.',
  });
}

/** For a search that returned only some results: the product may be among the others. */
function maybeUnseen({ product }: ProductQuestion): AcademyError {
  const message = `"${oneLine(product, 100)}" is not among the products that the API returned, but it returned only some, or some are unreadable`;
  return new AcademyError('ambiguous_product', message, {
    hint: 'Call again with the exact title or slug, or with the id and product_type.',
  });
}

const isPart = (product: Product, { product: wanted }: ProductQuestion) => partMatches([product], wanted).length > 0;

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
export function chooseProduct(question: ProductQuestion, { products, isCut, isExact }: ProductCandidates): Product {
  const exact = productIdIn(question) === undefined ? exactMatches(products, question.product) : [];
  const [only, ...others] = exact.length > 0 ? exact : products;
  if (only === undefined) throw isCut ? maybeUnseen(question) : noSuchProduct(question);
  // A single result must contain the words, and cut results may hide others that do.
  const isMeant = exact.length > 0 || isExact || (!isCut && isPart(only, question));
  if (others.length > 0 || !isMeant) throw ambiguous(question, [only, ...others], isCut && exact.length === 0);
  return only;
}
