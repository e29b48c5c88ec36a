import type { Api } from '../api/api.ts';
import { unreadableEntries } from '../api/http/unreadable-paths.ts';
import { undefinedIfNotFound } from '../api/undefined-if-not-found.ts';
import { getBundle, listBundles } from '../contract/bundles.ts';
import { getCourse, listCourses } from '../contract/courses.ts';
import { getDigitalProduct, listDigitalProducts } from '../contract/digital-products.ts';
import { type ProductType, searchProducts } from '../contract/products.ts';
import {
  distinctProducts,
  exactMatches,
  kindsFor,
  type Product,
  partMatches,
  productOf,
  sellable,
  typesToSearch,
} from '../insights/sales/product-match.ts';
import type { ProductKind } from '../insights/sales/sold-order.ts';
import { oneLine } from '../shared/clean-text.ts';
import { AcademyError } from '../shared/errors.ts';
import { asValue, quoted } from '../shared/quote-text.ts';

/** What a person says of a product: its title, slug or id, or part of the title. */
export interface ProductQuestion {
  product: string;
  product_type?: ProductType | undefined;
}

/** API document: "Limits". */
const maxFound = 25;
/** What a search gives that takes no notice of the limit. */
const usuallyFound = 10;
const maxListed = 12;

const readById = {
  course: (api: Api, id: number) => api.call(getCourse, { course_id: id }),
  bundle: (api: Api, id: number) => api.call(getBundle, { bundle_id: id }),
  digital_product: (api: Api, id: number) => api.call(getDigitalProduct, { digital_product_id: id }),
};

async function withId(api: Api, kind: ProductKind, id: number): Promise<Product[]> {
  const record = await undefinedIfNotFound<object>(readById[kind](api, id));
  // What a digital product calls its type is "download" and the like.
  return record === undefined ? [] : productOf(kind, { id, ...record, product_type: undefined });
}

/** The title of a product of this id; undefined where the API shows no such product. One request. */
export async function titleById(api: Api, kind: ProductKind, id: number): Promise<string | undefined> {
  const [product] = await withId(api, kind, id);
  return product?.title;
}

const listOfKind = {
  course: (api: Api) => api.call(listCourses, {}),
  bundle: (api: Api) => api.call(listBundles, {}),
  digital_product: (api: Api) => api.call(listDigitalProducts, {}),
};

async function listed(api: Api, kind: ProductKind): Promise<Product[]> {
  const { items } = await listOfKind[kind](api);
  return items.flatMap(({ id, title }) => productOf(kind, { id, title }));
}

async function searchType(api: Api, query: string, type: ProductType | undefined) {
  const asked = { query, limit: maxFound, ...(type === undefined ? {} : { product_type: type }) };
  const answer = await api.call(searchProducts, asked);
  const { items, count = 0 } = answer;
  const isFull = items.length >= maxFound || items.length === usuallyFound || count > items.length;
  const isUnreadable = unreadableEntries(answer) > 0 || items.some(({ id }) => id === undefined);
  return { items, isCut: isFull || isUnreadable };
}

/** What the search finds; where that is cut, with what the whole lists of its kinds have: they show no slugs, and no unpublished course. */
async function search(api: Api, { product, product_type }: ProductQuestion) {
  const types = typesToSearch(product_type);
  const found = await Promise.all(types.map((type) => searchType(api, product, type)));
  const isCut = found.some((one) => one.isCut);
  const lists = isCut ? await Promise.all(kindsFor(product_type).map((kind) => listed(api, kind))) : [];
  const items = found.flatMap((one) => one.items);
  const products = distinctProducts([...sellable(items), ...partMatches(lists.flat(), product)]);
  return { products, isCut, isSure: false };
}

function describe({ ref, title, slug }: Product): string {
  const called = `${ref} ${quoted(oneLine(title ?? '', 120))}`;
  return slug === undefined ? called : `${called} (${asValue(oneLine(slug, 120))})`;
}

function ambiguous({ product }: ProductQuestion, candidates: readonly Product[], isCut: boolean): AcademyError {
  const shown = candidates.slice(0, maxListed).map(describe);
  const more = isCut || candidates.length > maxListed ? ' and more' : '';
  return new AcademyError(
    'ambiguous_product',
    `${quoted(oneLine(product, 100))} may be any of ${candidates.length}: ${shown.join('; ')}${more}`,
    { hint: 'Call again with the exact title or slug, or with the id and product_type.' },
  );
}

function unknown({ product, product_type }: ProductQuestion): AcademyError {
  const kind = product_type === undefined ? 'product' : product_type;
  const what = product_type === 'project' ? 'a project cannot be bought' : `there is no ${kind} that can be bought`;
  return new AcademyError('not_found', `${what} with the title, slug or id ${quoted(oneLine(product, 100))}`, {
    hint: 'Find it with search_products by a part of its title, published or not; an id finds it in any case.',
  });
}

/** Of a search that shows no more than a part, what it does not show is not known. */
function unseen({ product }: ProductQuestion): AcademyError {
  const message = `"${oneLine(product, 100)}" is not among the products that the API showed, and it did not show all, or not all could be read`;
  return new AcademyError('ambiguous_product', message, {
    hint: 'Call again with the exact title or slug, or with the id and product_type.',
  });
}

/** A list of the API shows no slug, and not whether a course is a challenge. */
async function inFull(api: Api, product: Product): Promise<Product> {
  if (product.slug !== undefined) return product;
  const [full] = await withId(api, product.kind, product.id);
  return full ?? product;
}

/** Digits may be an id, a slug or a title. With a type they are an id first, as in the addresses of the API. */
async function withDigits(api: Api, question: ProductQuestion, id: number) {
  const byId = Promise.all(kindsFor(question.product_type).map((kind) => withId(api, kind, id)));
  if (question.product_type !== undefined) {
    const products = (await byId).flat();
    return products.length > 0 ? { products, isCut: false, isSure: true } : search(api, question);
  }
  const [own, found] = await Promise.all([byId, search(api, question)]);
  const products = distinctProducts([...own.flat(), ...exactMatches(found.products, question.product)]);
  return products.length > 0 ? { products, isCut: false, isSure: true } : found;
}

const isPart = (product: Product, { product: wanted }: ProductQuestion) => partMatches([product], wanted).length > 0;

/**
 * The one product that is meant: by id (one request for each kind that it may be), by exact title or slug, else by part of the
 * title (one request, for courses two; up to three more where the API cuts what it found). Throws `not_found`, and
 * `ambiguous_product` with the candidates.
 */
export async function findProduct(api: Api, question: ProductQuestion): Promise<Product> {
  if (kindsFor(question.product_type).length === 0) throw unknown(question);
  const isId = /^[1-9]\d{0,14}$/.test(question.product.trim());
  const found = await (isId ? withDigits(api, question, Number(question.product)) : search(api, question));
  const exact = isId ? [] : exactMatches(found.products, question.product);
  const [only, ...others] = exact.length > 0 ? exact : found.products;
  if (only === undefined) throw found.isCut ? unseen(question) : unknown(question);
  // What has the words neither in its title nor in its slug was not asked for, and of a part more may have them.
  const isMeant = exact.length > 0 || found.isSure || (!found.isCut && isPart(only, question));
  if (others.length > 0 || !isMeant) throw ambiguous(question, [only, ...others], found.isCut && exact.length === 0);
  return found.isCut ? await inFull(api, only) : only;
}
