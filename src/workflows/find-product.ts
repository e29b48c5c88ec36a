import type { Api } from '../api/api.ts';
import { unreadableEntries } from '../api/http/unreadable-paths.ts';
import { undefinedIfNotFound } from '../api/undefined-if-not-found.ts';
import { getBundle, listBundles } from '../contract/bundles.ts';
import { getCourse, listCourses } from '../contract/courses.ts';
import { getDigitalProduct, listDigitalProducts } from '../contract/digital-products.ts';
import { type ProductType, searchProducts } from '../contract/products.ts';
import {
  chooseProduct,
  distinctProducts,
  exactMatches,
  type KnownProduct,
  kindsFor,
  type Product,
  type ProductCandidates,
  type ProductQuestion,
  partMatches,
  productIdIn,
  productOf,
  questionByRef,
  requirePurchasable,
  sellable,
  typesToSearch,
} from '../insights/sales/choose-product.ts';
import { type ProductKind, productRef, uniqueByRef } from '../insights/sales/product-ref.ts';
import type { ToolContext } from '../mcp/tool.ts';
import { refuseInput } from '../shared/invalid-input.ts';
import type { OrderCursor } from './sales/order-cursor.ts';
import { productTitles } from './scan-store.ts';

// Finds the products that a question names.

/** API document: "Limits". */
const maxFound = 25;
/** The number of results of a search that ignores the limit. */
const usuallyFound = 10;

const readById = {
  course: (api: Api, id: number) => api.call(getCourse, { course_id: id }),
  bundle: (api: Api, id: number) => api.call(getBundle, { bundle_id: id }),
  digital_product: (api: Api, id: number) => api.call(getDigitalProduct, { digital_product_id: id }),
};

async function withId(api: Api, kind: ProductKind, id: number): Promise<Product[]> {
  const record = await undefinedIfNotFound<object>(readById[kind](api, id));
  // The type of a digital product is "download" or similar, not a product type.
  return record === undefined ? [] : productOf(kind, { id, ...record, product_type: undefined });
}

const listOfKind = {
  course: (api: Api) => api.call(listCourses, {}),
  bundle: (api: Api) => api.call(listBundles, {}),
  digital_product: (api: Api) => api.call(listDigitalProducts, {}),
};

/** All products of a kind; of courses, the published ones. One request. */
async function listed(api: Api, kind: ProductKind): Promise<Product[]> {
  const { items } = await listOfKind[kind](api);
  return items.flatMap(({ id, title }) => productOf(kind, { id, title }));
}

async function searchType(api: Api, text: string, type: ProductType | undefined) {
  const query = { query: text, limit: maxFound, ...(type === undefined ? {} : { product_type: type }) };
  const answer = await api.call(searchProducts, query);
  const { items, count = 0 } = answer;
  const isFull = items.length >= maxFound || items.length === usuallyFound || count > items.length;
  const isUnreadable = unreadableEntries(answer) > 0 || items.some(({ id }) => id === undefined);
  return { items, isCut: isFull || isUnreadable };
}

/**
 * Searches. If the results are cut, or the API finds nothing for the words as they are, adds matches from the complete
 * lists, which have no slugs and no unpublished courses.
 */
async function search(api: Api, { product, product_type }: ProductQuestion): Promise<ProductCandidates> {
  const types = typesToSearch(product_type);
  const found = await Promise.all(types.map((type) => searchType(api, product, type)));
  const isCut = found.some((one) => one.isCut);
  const shown = sellable(found.flatMap((one) => one.items));
  const isNeeded = isCut || shown.length === 0;
  const lists = isNeeded ? await Promise.all(kindsFor(product_type).map((kind) => listed(api, kind))) : [];
  const others = lists.flat();
  return { products: distinctProducts([...shown, ...partMatches(others, product)]), isCut, isExact: false, others };
}

/** Reads the product if it came from a list: lists show neither slugs nor whether a course is a challenge. */
async function readFull(api: Api, product: Product): Promise<Product> {
  if (product.slug !== undefined) return product;
  const [full] = await withId(api, product.kind, product.id);
  return full ?? product;
}

/** Digits may be an id, a slug or a title. With a type they are an id first, as in the paths of the API. */
async function searchDigits(api: Api, question: ProductQuestion, id: number): Promise<ProductCandidates> {
  const byId = Promise.all(kindsFor(question.product_type).map((kind) => withId(api, kind, id)));
  if (question.product_type !== undefined) {
    const products = (await byId).flat();
    return products.length > 0 ? { products, isCut: false, isExact: true } : search(api, question);
  }
  const [own, found] = await Promise.all([byId, search(api, question)]);
  const products = distinctProducts([...own.flat(), ...exactMatches(found.products, question.product)]);
  return products.length > 0 ? { products, isCut: false, isExact: true } : found;
}

/**
 * Finds the one product: by id or a name such as "course 7" (one request per possible kind), by exact title or slug, or by
 * part of the title (one request, two for courses; up to three more if the API cuts the results or finds none). Throws `not_found`, or
 * `ambiguous_product` with the candidates.
 */
export async function findProduct(api: Api, asked: ProductQuestion): Promise<Product> {
  const question = questionByRef(asked);
  requirePurchasable(question);
  const id = productIdIn(question);
  const candidates = await (id === undefined ? search(api, question) : searchDigits(api, question, id));
  const product = chooseProduct(question, candidates);
  const { isCut, others = [] } = candidates;
  return isCut || others.length > 0 ? await readFull(api, product) : product;
}

type Context = Pick<ToolContext, 'api' | 'stores'>;

/** The products of a cursor. It has ids: the title always comes from the API. */
type Named = Pick<OrderCursor, 'products'>;

/** The product with the title cached from the part before, or read by one request. */
async function withTitle(product: KnownProduct, { api, stores }: Context): Promise<KnownProduct> {
  const title = stores.of(productTitles).get(product.ref) ?? (await withId(api, product.kind, product.id))[0]?.title;
  return { ...product, title };
}

/** Caches the title for the next part. */
function remember<Found extends KnownProduct>(product: Found, { stores }: Context): Found {
  if (product.title !== undefined) stores.of(productTitles).set(product.ref, product.title);
  return product;
}

/** The product that the cursor names, otherwise the one that `findProduct` finds. */
export async function resolveProduct(question: ProductQuestion, { products: [product] = [] }: Named, context: Context) {
  const found = product === undefined ? findProduct(context.api, question) : withTitle(product, context);
  return remember(await found, context);
}

/**
 * The products that the cursor names, otherwise those that `findProduct` finds, in the order of the questions. Throws
 * `invalid_input` if the cursor is about other products.
 */
export async function resolveProducts(
  questions: readonly ProductQuestion[],
  { products: named }: Named,
  context: Context,
): Promise<KnownProduct[]> {
  if (named !== undefined && named.length !== questions.length) throw refuseInput(['cursor has other products']);
  return await Promise.all(
    questions.map((question, index) => resolveProduct(question, { products: named?.slice(index, index + 1) }, context)),
  );
}

/** The course that the cursor names, otherwise the one with this id. Throws `not_found` if there is none. */
export async function resolveCourse(
  id: number,
  { products: [product] = [] }: Named,
  context: Context,
): Promise<KnownProduct> {
  if (product !== undefined) return remember(await withTitle(product, context), context);
  const { title, is_challenge } = await readById.course(context.api, id);
  const type = is_challenge === true ? 'challenge' : 'course';
  return remember({ ref: productRef('course', id), kind: 'course', type, id, title }, context);
}

/** The courses or challenges that a search finds, published or not: 25 at most. */
async function searched(api: Api, product_type: 'course' | 'challenge') {
  const { items } = await api.call(searchProducts, { product_type, limit: maxFound });
  return { products: items.flatMap((item) => productOf('course', item)), isCut: items.length >= maxFound };
}

/**
 * A test for the products of a type. Orders list a challenge as a course, so one request reads which courses are challenges.
 * `isCut`: the API lists no more challenges than these.
 */
export async function productsOfType(api: Api, type: ProductType) {
  const kinds = kindsFor(type);
  if (type !== 'challenge') {
    return { isOfType: (ref: string) => kinds.some((kind) => ref.startsWith(`${kind} `)), isCut: false };
  }
  const { products, isCut } = await searched(api, 'challenge');
  const refs = new Set(products.map(({ ref }) => ref));
  return { isOfType: (ref: string) => refs.has(ref), isCut };
}

/**
 * The products that can be bought, sold or not: one request for each kind. The list of courses has published ones only, so a
 * search finds others, the first 25 of each type. `isCut`: there may be more. `unpublished`: refs of those that are known to be
 * unpublished. Lists of bundles do not show it.
 */
export async function listedProducts(api: Api, type: ProductType | undefined) {
  const types = (['course', 'challenge'] as const).filter((one) => type === undefined || type === one);
  const found = await Promise.all(types.map((one) => searched(api, one)));
  const lists = (await Promise.all(kindsFor(type).map((kind) => listed(api, kind)))).flat();
  const others = found.flatMap((one) => one.products);
  // The list of courses has courses beside challenges.
  const products = uniqueByRef(type === 'challenge' ? others : [...lists, ...others]);
  const published = new Set(lists.map(({ ref }) => ref));
  const unpublished = products.flatMap(({ ref }) => (published.has(ref) ? [] : [ref]));
  return { products, unpublished, isCut: found.some(({ isCut }) => isCut) };
}
