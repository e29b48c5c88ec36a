import { oneLine } from '../clean.ts';
import { getBundle } from '../contract/bundles.ts';
import { getCourse } from '../contract/courses.ts';
import { getDigitalProduct } from '../contract/digital-products.ts';
import { type ProductType, searchProducts } from '../contract/products.ts';
import { AcademyError } from '../errors.ts';
import { bestMatches, kindsFor, type Product, productOf, sellable } from '../insights/product-match.ts';
import type { ProductKind } from '../insights/sold-order.ts';
import { unlessAbsent } from './absent.ts';
import type { Api } from './client.ts';

/** What a person says of a product: its title, slug or id, or part of the title. */
export interface ProductQuestion {
  product: string;
  product_type?: ProductType | undefined;
}

/** API document: "Limits". */
const mostFound = 25;
const mostListed = 12;

const readById = {
  course: (api: Api, id: number) => api.call(getCourse, { course_id: id }),
  bundle: (api: Api, id: number) => api.call(getBundle, { bundle_id: id }),
  digital_product: (api: Api, id: number) => api.call(getDigitalProduct, { digital_product_id: id }),
};

async function withId(api: Api, kind: ProductKind, id: number): Promise<Product[]> {
  const record = await unlessAbsent<object>(readById[kind](api, id));
  // What a digital product calls its type is "download" and the like.
  return record === undefined ? [] : productOf(kind, { id, ...record, product_type: undefined });
}

async function search(api: Api, { product, product_type }: ProductQuestion) {
  const { items } = await api.call(searchProducts, {
    query: product,
    limit: mostFound,
    ...(product_type === undefined ? {} : { product_type }),
  });
  return { products: sellable(items), isCut: items.length >= mostFound };
}

function describe({ ref, title, slug }: Product): string {
  return oneLine(`${ref} "${title ?? ''}"${slug === undefined ? '' : ` (${slug})`}`, 160);
}

function ambiguous({ product }: ProductQuestion, candidates: readonly Product[], isCut: boolean): AcademyError {
  const listed = candidates.slice(0, mostListed).map(describe);
  const more = isCut || candidates.length > mostListed ? ' and more' : '';
  return new AcademyError(
    'ambiguous_product',
    `"${oneLine(product, 100)}" may be any of ${candidates.length}: ${listed.join('; ')}${more}`,
    { hint: 'Call again with the exact title or slug, or with the id and product_type.' },
  );
}

function unknown({ product, product_type }: ProductQuestion): AcademyError {
  const kind = product_type === undefined ? 'product' : product_type;
  const what = product_type === 'project' ? 'a project cannot be bought' : `there is no ${kind} that can be bought`;
  return new AcademyError('not_found', `${what} with the title, slug or id "${oneLine(product, 100)}"`, {
    hint: 'Find it with search_products by a part of its title.',
  });
}

/**
 * The one product that is meant: by id (one request for each kind that it may be), else by exact title or slug, else by
 * part of the title (one request). Throws `not_found`, and `ambiguous_product` with the candidates.
 */
export async function findProduct(api: Api, question: ProductQuestion): Promise<Product> {
  const kinds = kindsFor(question.product_type);
  if (kinds.length === 0) throw unknown(question);
  const id = /^[1-9]\d{0,14}$/.test(question.product.trim()) ? Number(question.product) : undefined;
  const byId = id === undefined ? [] : (await Promise.all(kinds.map((kind) => withId(api, kind, id)))).flat();
  const found = byId.length > 0 ? { products: byId, isCut: false } : await search(api, question);
  const candidates = byId.length > 0 ? byId : bestMatches(found.products, question.product);
  const [only, ...others] = candidates;
  if (only === undefined) throw unknown(question);
  if (others.length > 0) throw ambiguous(question, candidates, found.isCut && candidates === found.products);
  return only;
}
