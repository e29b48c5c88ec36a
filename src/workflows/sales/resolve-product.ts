import type { KnownProduct } from '../../insights/sales/product-match.ts';
import type { ToolContext } from '../../mcp/tool.ts';
import { titleById } from '../find-product.ts';
import { productTitles } from '../scan-store.ts';
import type { OrderCursor } from './order-cursor.ts';

type Context = Pick<ToolContext, 'api' | 'stores'>;

/** The title that the API gives a product: the one kept from the part before, or else one request. */
async function titleOf({ ref, kind, id }: KnownProduct, { api, stores }: Context): Promise<string | undefined> {
  return stores.of(productTitles).get(ref) ?? (await titleById(api, kind, id));
}

/**
 * The product of a question: the one that its cursor names by id, or else the one that `search` finds. Titles are those of
 * the API, never of the cursor.
 */
export async function productFor<Found extends KnownProduct | undefined>(
  { product }: OrderCursor,
  search: () => Promise<Found> | Found,
  context: Context,
): Promise<KnownProduct | Found> {
  const found = product === undefined ? await search() : { ...product, title: await titleOf(product, context) };
  if (found?.title !== undefined) context.stores.of(productTitles).set(found.ref, found.title);
  return found;
}
