import type * as z from 'zod';
import type { product } from '../../contract/products.ts';
import { type FoundProduct, supportedAttributes } from '../state/products.ts';

/** API document: "Limits". */
const maxAttribute = 4000;

type ProductBody = z.infer<typeof product>;

/** A product with the attributes of its type. Long texts are cut and listed. */
export function productBody({ type, record, isChallenge }: FoundProduct): ProductBody {
  const truncated: string[] = [];
  const attributes = Object.fromEntries(
    supportedAttributes[type].map((name) => {
      const value = Reflect.get(record, name);
      const short = typeof value === 'string' ? cut(value) : value;
      if (short !== value) truncated.push(name);
      return [name, short];
    }),
  );
  return {
    product_type: type,
    id: record.id,
    title: record.title,
    slug: record.slug,
    is_challenge: isChallenge,
    attributes,
    truncated_attributes: truncated,
  };
}

/** Counts characters, not UTF-16 units, so no emoji is cut in half. */
function cut(text: string): string {
  return text.length <= maxAttribute ? text : [...text].slice(0, maxAttribute).join('');
}
