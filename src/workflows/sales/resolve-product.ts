import { getCourse } from '../../contract/courses.ts';
import type { ProductQuestion } from '../../insights/sales/choose-product.ts';
import type { KnownProduct } from '../../insights/sales/product-match.ts';
import { productRef } from '../../insights/sales/product-ref.ts';
import type { ToolContext } from '../../mcp/tool.ts';
import { refuseInput } from '../../shared/invalid-input.ts';
import { findProduct, titleById } from '../find-product.ts';
import { productLists, productTitles } from '../scan-store.ts';
import type { OrderCursor } from './order-cursor.ts';
import { productsDigest } from './product-keys.ts';

// Resolves the product of a question. A cursor names it by id. The title always comes from the API, never from the cursor.

type Context = Pick<ToolContext, 'api' | 'stores'>;

/** The product of a cursor, with the title cached from the part before, or read by one request. */
async function withTitle(product: KnownProduct, { api, stores }: Context): Promise<KnownProduct> {
  const title = stores.of(productTitles).get(product.ref) ?? (await titleById(api, product.kind, product.id));
  return { ...product, title };
}

/** Caches the title for the next part. */
function remember<Found extends KnownProduct>(product: Found, { stores }: Context): Found {
  if (product.title !== undefined) stores.of(productTitles).set(product.ref, product.title);
  return product;
}

/** The product that the cursor names, otherwise the one that `findProduct` finds. */
export async function resolveProduct(
  question: ProductQuestion,
  { product }: Pick<OrderCursor, 'product'>,
  context: Context,
): Promise<KnownProduct> {
  const found = product === undefined ? await findProduct(context.api, question) : await withTitle(product, context);
  return remember(found, context);
}

/**
 * The products that the cursor names, otherwise those that `findProduct` finds, in the order of the questions. Throws
 * `invalid_input` if the cursor is about other products.
 */
export async function resolveProducts(
  questions: readonly ProductQuestion[],
  { products: named, digest }: Pick<OrderCursor, 'products' | 'digest'>,
  context: Context,
): Promise<KnownProduct[]> {
  const lists = context.stores.of(productLists);
  const products = named ?? (digest === undefined ? undefined : lists.get(digest));
  const others = () => refuseInput(['cursor has other products']);
  if (products !== undefined && products.length !== questions.length) throw others();
  const found =
    products === undefined
      ? questions.map((question) => findProduct(context.api, question))
      : products.map((product) => withTitle(product, context));
  const all = (await Promise.all(found)).map((product) => remember(product, context));
  const own = productsDigest(all);
  if (digest !== undefined && digest !== own) throw others();
  if (all.length > 1) lists.set(own, all);
  return all;
}

async function readCourse(course_id: number, { api }: Context): Promise<KnownProduct> {
  const { title, is_challenge } = await api.call(getCourse, { course_id });
  const type = is_challenge === true ? 'challenge' : 'course';
  return { ref: productRef('course', course_id), kind: 'course', type, id: course_id, title };
}

/** The course that the cursor names, otherwise the one with this id. Throws `not_found` if there is none. */
export async function resolveCourse(
  courseId: number,
  { product }: Pick<OrderCursor, 'product'>,
  context: Context,
): Promise<KnownProduct> {
  const found = product === undefined ? await readCourse(courseId, context) : await withTitle(product, context);
  return remember(found, context);
}
