import type { Api } from '../api/api.ts';
import { unreadableEntries } from '../api/http/answer-facts.ts';
import { undefinedIfNotFound } from '../api/partial-failure.ts';
import { getBundle, listBundles } from '../contract/bundles.ts';
import { getCourse, listCourses } from '../contract/courses.ts';
import { getDigitalProduct, listDigitalProducts } from '../contract/digital-products.ts';
import type { AnswerOf } from '../contract/operation.ts';
import { type ProductType, searchProducts } from '../contract/products.ts';
import {
  type KnownProduct,
  type Product,
  type ProductKind,
  productKinds,
  productRef,
  uniqueByRef,
} from '../insights/sales/products-in-order.ts';
import type { ToolContext } from '../mcp/tool.ts';
import { caseless, oneLine } from '../shared/clean-text.ts';
import { AcademyError } from '../shared/errors.ts';
import { asValue, quoted } from '../shared/quote-text.ts';
import { hasWords, nearest } from '../shared/similar-words.ts';
import type { OrderCursor } from './sales/order-cursor.ts';
import { foundProducts } from './scan-store.ts';

// Finds the products that a question names, and chooses the one that is meant.

/** A record of a search, of a list or of one product. */
type Found = AnswerOf<typeof searchProducts>['items'][number] & { is_challenge?: boolean | undefined };

const kinds: Partial<Record<string, ProductKind>> = {
  course: 'course',
  challenge: 'course',
  bundle: 'bundle',
  offer: 'bundle',
  digital_product: 'digital_product',
} satisfies Partial<Record<ProductType, ProductKind>>;

/** The kinds of a type: all if it is undefined, none for a project, which cannot be bought. */
const kindsFor = (type: ProductType | undefined): readonly ProductKind[] =>
  type === undefined ? productKinds : [kinds[type]].filter((kind) => kind !== undefined);

function productOf(kind: ProductKind, { id, title, slug, product_type, is_challenge }: Found): Product[] {
  const type = product_type ?? (is_challenge === true ? 'challenge' : kind);
  return id === undefined ? [] : [{ ref: productRef(kind, id), kind, type, id, title, slug }];
}

/** Each product once; the first entry wins. */
function distinctProducts(products: readonly Product[]): Product[] {
  return products.filter(({ ref }, index) => products.findIndex((one) => one.ref === ref) === index);
}

export function exactMatches(products: readonly Product[], wanted: string): Product[] {
  return products.filter(
    ({ title, slug }) => caseless(title) === caseless(wanted) || caseless(slug) === caseless(wanted),
  );
}

/** Products whose title or slug has the wanted words, in any order and case, with or without accents. */
function partMatches(products: readonly Product[], wanted: string): Product[] {
  return products.filter(({ title, slug }) => [title, slug].some((text) => hasWords(text ?? '', wanted)));
}

/** A product in the user's words: title, slug, id or part of the title. */
export interface ProductQuestion {
  product: string;
  product_type?: ProductType | undefined;
}

/** The products that the API showed for a question. `isCut`: there may be more. `isExact`: by id, title or slug. */
interface ProductCandidates {
  readonly products: readonly Product[];
  readonly isCut: boolean;
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

function productIdIn({ product }: ProductQuestion): number | undefined {
  return /^[1-9]\d{0,14}$/.test(product.trim()) ? Number(product) : undefined;
}

/** The id and the type of "course 7" or "challenge 7", as answers name products; other questions as they are. */
function questionByRef({ product, product_type }: ProductQuestion): ProductQuestion {
  const [, kind, id] = /^(course|challenge|bundle|digital_product) ([1-9]\d{0,14})$/.exec(product.trim()) ?? [];
  const type = [...productKinds, 'challenge' as const].find((one) => one === kind);
  const isOfType = type !== undefined && kindsFor(product_type).some((one) => kindsFor(type).includes(one));
  return id === undefined || !isOfType ? { product, product_type } : { product: id, product_type: type };
}

/** Throws `not_found` for a type that cannot be bought, before any request. */
export function requirePurchasable(question: ProductQuestion): void {
  if (kindsFor(question.product_type).length === 0) throw noSuchProduct(question);
}

/** The only exact match, or else the only candidate. Throws `not_found`, or `ambiguous_product` with the candidates. */
function chooseProduct(question: ProductQuestion, candidates: ProductCandidates): Product {
  const { products, isCut, isExact, others: unlike } = candidates;
  const exact = productIdIn(question) === undefined ? exactMatches(products, question.product) : [];
  const [only, ...others] = exact.length > 0 ? exact : products;
  if (only === undefined) throw isCut ? maybeUnseen(question) : noSuchProduct(question, unlike);
  // A single result must contain the words, and cut results may hide others that do.
  const isMeant = exact.length > 0 || isExact || (!isCut && partMatches([only], question.product).length > 0);
  if (others.length > 0 || !isMeant) throw severalMatch(question, [only, ...others], isCut && exact.length === 0);
  return only;
}

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

/** If results are cut or absent, adds matches from the complete lists, which lack slugs and unpublished courses. */
async function search(api: Api, { product, product_type }: ProductQuestion): Promise<ProductCandidates> {
  const isCourse = kindsFor(product_type).length === 1 && kindsFor(product_type).includes('course');
  // The API lists challenges separately from courses.
  const types = isCourse ? (['course', 'challenge'] as const) : [product_type];
  const found = await Promise.all(types.map((type) => searchType(api, product, type)));
  const isCut = found.some((one) => one.isCut);
  const sellable = found.flatMap(({ items }) =>
    items.flatMap((item) => {
      const kind = kinds[item.product_type ?? ''];
      return kind === undefined ? [] : productOf(kind, item);
    }),
  );
  // A challenge may appear as a course too.
  const shown = uniqueByRef(sellable);
  const isNeeded = isCut || shown.length === 0;
  const lists = isNeeded ? await Promise.all(kindsFor(product_type).map((kind) => listed(api, kind))) : [];
  const others = lists.flat();
  return { products: distinctProducts([...shown, ...partMatches(others, product)]), isCut, isExact: false, others };
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
export async function findProduct(api: Api, wanted: ProductQuestion): Promise<Product> {
  const question = questionByRef(wanted);
  requirePurchasable(question);
  const id = productIdIn(question);
  const candidates = await (id === undefined ? search(api, question) : searchDigits(api, question, id));
  const product = chooseProduct(question, candidates);
  const { isCut, others = [] } = candidates;
  // Lists show neither slugs nor whether a course is a challenge.
  const isListed = (isCut || others.length > 0) && product.slug === undefined;
  const [full = product] = isListed ? await withId(api, product.kind, product.id) : [];
  return full;
}

type Context = Pick<ToolContext, 'api' | 'stores'>;

type Cursor = Pick<OrderCursor, 'isFurther'>;

/** A further part of an answer takes what an earlier part has found, if it is still cached, so that it costs no request. */
async function foundBefore(
  key: string,
  { isFurther }: Cursor,
  { stores }: Context,
  find: () => Promise<KnownProduct>,
): Promise<KnownProduct> {
  const found = (isFurther ? stores.of(foundProducts).get(key) : undefined) ?? (await find());
  stores.of(foundProducts).set(key, found);
  return found;
}

export function resolveProduct(question: ProductQuestion, cursor: Cursor, context: Context) {
  return foundBefore(JSON.stringify(question), cursor, context, () => findProduct(context.api, question));
}

/** The course with this id. Throws `not_found` if there is none. */
export function resolveCourse(id: number, cursor: Cursor, context: Context) {
  return foundBefore(`course ${id}`, cursor, context, async () => {
    const { title, is_challenge } = await readById.course(context.api, id);
    const type = is_challenge === true ? 'challenge' : 'course';
    return { ref: productRef('course', id), kind: 'course', type, id, title };
  });
}

/** The courses or challenges that a search finds, published or not: 25 at most. */
async function searched(api: Api, product_type: 'course' | 'challenge') {
  const { items } = await api.call(searchProducts, { product_type, limit: maxFound });
  return { products: items.flatMap((item) => productOf('course', item)), isCut: items.length >= maxFound };
}

/** A test for the products of a type. Orders list a challenge as a course: one request reads challenges. `isCut`: not all. */
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
 * search finds others, the first 25 of each type. `isCut`: there may be more. `unpublished`: not of bundles, whose lists hide it.
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
