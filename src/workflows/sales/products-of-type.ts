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

async function found(api: Api, product_type: 'course' | 'challenge') {
  const { items } = await api.call(searchProducts, { product_type, limit: maxFound });
  return { products: items.flatMap((item) => productOf('course', item)), isCut: items.length >= maxFound };
}

/** The products of a type. Orders list a challenge as a course, so one request reads which courses are challenges. */
export async function productsOfType(api: Api, type: ProductType): Promise<ProductsOfType> {
  if (type !== 'challenge') {
    const kinds = kindsFor(type);
    return { isOfType: (ref) => kinds.some((kind) => ref.startsWith(`${kind} `)), isCut: false };
  }
  const { products, isCut } = await found(api, 'challenge');
  const refs = new Set(products.map(({ ref }) => ref));
  return { isOfType: (ref) => refs.has(ref), isCut };
}

const searchedTypes = ['course', 'challenge'] as const;

/**
 * The products that can be bought, sold or not: one request for each kind. The list of courses has published ones only, so a
 * search finds others, the first 25 of each type. `isCut`: there may be more. `unpublished`: refs of those that are known to be
 * unpublished. Lists of bundles do not show it.
 */
export async function listedProducts(api: Api, type: ProductType | undefined) {
  const isWanted = (one: ProductType) => type === undefined || type === one;
  const searched = await Promise.all(searchedTypes.filter(isWanted).map((one) => found(api, one)));
  const lists = (await Promise.all(kindsFor(type).map((kind) => listed(api, kind)))).flat();
  const others = searched.flatMap((one) => one.products);
  // The list of courses has courses beside challenges.
  const products = type === 'challenge' ? others : [...lists, ...others];
  const byRef = new Map(products.map((product) => [product.ref, product]));
  const published = new Set(lists.map(({ ref }) => ref));
  const unpublished = [...byRef.keys()].filter((ref) => !published.has(ref));
  return { products: [...byRef.values()], unpublished, isCut: searched.some(({ isCut }) => isCut) };
}
