import type { Api } from '../api/api.ts';
import { unreadableEntries } from '../api/http/unreadable-paths.ts';
import { undefinedIfNotFound } from '../api/undefined-if-not-found.ts';
import { getBundle, listBundles } from '../contract/bundles.ts';
import { getCourse, listCourses } from '../contract/courses.ts';
import { getDigitalProduct, listDigitalProducts } from '../contract/digital-products.ts';
import { type ProductType, searchProducts } from '../contract/products.ts';
import {
  chooseProduct,
  type ProductCandidates,
  type ProductQuestion,
  productIdIn,
  questionByRef,
  requirePurchasable,
} from '../insights/sales/choose-product.ts';
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

/** The title of the product with this id; undefined if the API shows no such product. One request. */
export async function titleById(api: Api, kind: ProductKind, id: number): Promise<string | undefined> {
  const [product] = await withId(api, kind, id);
  return product?.title;
}

const listOfKind = {
  course: (api: Api) => api.call(listCourses, {}),
  bundle: (api: Api) => api.call(listBundles, {}),
  digital_product: (api: Api) => api.call(listDigitalProducts, {}),
};

/** All products of a kind; of courses, the published ones. One request. */
export async function listed(api: Api, kind: ProductKind): Promise<Product[]> {
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

/** Searches. If the results are cut, adds matches from the complete lists, which have no slugs and no unpublished courses. */
async function search(api: Api, { product, product_type }: ProductQuestion): Promise<ProductCandidates> {
  const types = typesToSearch(product_type);
  const found = await Promise.all(types.map((type) => searchType(api, product, type)));
  const isCut = found.some((one) => one.isCut);
  const lists = isCut ? await Promise.all(kindsFor(product_type).map((kind) => listed(api, kind))) : [];
  const items = found.flatMap((one) => one.items);
  const products = distinctProducts([...sellable(items), ...partMatches(lists.flat(), product)]);
  return { products, isCut, isExact: false };
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
 * part of the title (one request, two for courses; up to three more if the API cuts the results). Throws `not_found`, or
 * `ambiguous_product` with the candidates.
 */
export async function findProduct(api: Api, asked: ProductQuestion): Promise<Product> {
  const question = questionByRef(asked);
  requirePurchasable(question);
  const id = productIdIn(question);
  const candidates = await (id === undefined ? search(api, question) : searchDigits(api, question, id));
  const product = chooseProduct(question, candidates);
  return candidates.isCut ? await readFull(api, product) : product;
}
