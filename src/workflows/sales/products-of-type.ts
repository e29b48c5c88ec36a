import type { Api } from '../../api/api.ts';
import { type ProductType, searchProducts } from '../../contract/products.ts';
import { kindsFor, productOf } from '../../insights/sales/product-match.ts';
import { listed } from '../find-product.ts';

/** API document: "Limits". */
const maxFound = 25;

export interface ProductsOfType {
  readonly isOfType: (ref: string) => boolean;
  /** The API lists no more challenges than these. */
  readonly isCut: boolean;
}

async function challenges(api: Api) {
  const { items } = await api.call(searchProducts, { product_type: 'challenge', limit: maxFound });
  return { found: items.flatMap((item) => productOf('course', item)), isCut: items.length >= maxFound };
}

/** The products of a type. Orders list a challenge as a course, so one request reads which courses are challenges. */
export async function productsOfType(api: Api, type: ProductType): Promise<ProductsOfType> {
  if (type !== 'challenge') {
    const kinds = kindsFor(type);
    return { isOfType: (ref) => kinds.some((kind) => ref.startsWith(`${kind} `)), isCut: false };
  }
  const { found, isCut } = await challenges(api);
  const refs = new Set(found.map(({ ref }) => ref));
  return { isOfType: (ref) => refs.has(ref), isCut };
}

/** The products that can be bought, sold or not: one request for each kind. */
export async function listedProducts(api: Api, type: ProductType | undefined) {
  if (type === 'challenge') return (await challenges(api)).found;
  return (await Promise.all(kindsFor(type).map((kind) => listed(api, kind)))).flat();
}
