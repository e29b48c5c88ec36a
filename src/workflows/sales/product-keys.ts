import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { KnownProduct } from '../../insights/sales/product-match.ts';
import { type ProductKind, productRef } from '../../insights/sales/product-ref.ts';

// The products of a question in a cursor: "c7" is course 7, "c7.b2" two of them. No title: the client could choose its text.

const kinds: Readonly<Record<string, ProductKind>> = { c: 'course', h: 'course', b: 'bundle', d: 'digital_product' };

/** More products are a digest of all of them. Room for one product of any id. */
const maxLength = 13;

export const productKeys = z
  .string()
  .regex(/^(\*[\w-]{10}|[chbd][1-9a-z][0-9a-z]{0,10}(\.[chbd][1-9a-z][0-9a-z]{0,10})*)$/);

function keyOf({ kind, id, type }: KnownProduct): string {
  return `${type === 'challenge' ? 'h' : kind.charAt(0)}${id.toString(36)}`;
}

/** The digest of these products, which begins with an asterisk. */
export function productsDigest(products: readonly KnownProduct[]): string {
  const hash = createHash('sha256').update(products.map(keyOf).join('.'));
  return `*${hash.digest('base64url').slice(0, 10)}`;
}

export function keysOfProducts(products: readonly KnownProduct[]): string {
  const keys = products.map(keyOf).join('.');
  return keys.length > maxLength ? productsDigest(products) : keys;
}

function productOf(key: string): KnownProduct {
  const [kind, id] = [kinds[key.charAt(0)] ?? 'course', Number.parseInt(key.slice(1), 36)];
  const type = key.startsWith('h') ? ({ type: 'challenge' } as const) : {};
  return { kind, id, ...type, title: undefined, ref: productRef(kind, id) };
}

/** One product, several, or the digest of many. */
export function productsOfKeys(keys: string | undefined) {
  if (keys === undefined) return { product: undefined };
  if (keys.startsWith('*')) return { product: undefined, digest: keys };
  const products = keys.split('.').map(productOf);
  return products.length === 1 ? { product: products[0] } : { product: undefined, products };
}
