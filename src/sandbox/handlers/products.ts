import type { ProductType } from '../../contract/products.ts';
import { invalidFields, invalidParameter, notFound } from '../error-response.ts';
import type { SectionHandlers } from '../handler.ts';
import type { Academy } from '../state/academy.ts';
import { normalPrice } from '../state/money.ts';
import { allProducts, type FoundProduct, findProduct, storedType, supportedAttributes } from '../state/products.ts';
import { productBody } from '../views/product.ts';
import { definedFields } from './helpers/defined-fields.ts';
import { contains } from './helpers/text-search.ts';

const defaultLimit = 10;

export const productsHandlers: SectionHandlers<'products'> = {
  'products.searchProducts': ({ query = '', product_type, limit = defaultLimit }, academy) => {
    const products = allProducts(academy)
      .filter(({ type }) => product_type === undefined || type === storedType(product_type))
      .filter(({ record }) => contains(query, record.title, record.slug))
      .slice(0, limit)
      .map(({ type, record }) => ({ product_type: type, id: record.id, title: record.title, slug: record.slug }));
    return { products, count: products.length };
  },

  'products.getProduct': ({ product_type, id_or_slug }, academy) => ({
    product: productBody(requireProduct(academy, product_type, id_or_slug)),
  }),

  'products.updateProduct': ({ product_type, id_or_slug, ...fields }, academy) => {
    const changes = definedFields(fields);
    const found = requireProduct(academy, product_type, id_or_slug);
    rejectUnsupported(found, Object.keys(changes));
    if (changes.course_id !== undefined && academy.catalogue.courses.get(changes.course_id) === undefined) {
      throw invalidParameter('course_id: course not found');
    }
    const price = changes.price === undefined ? {} : { price: normalPrice(changes.price) };
    Object.assign(found.record, changes, price);
    return { product: productBody(found) };
  },
};

function requireProduct(academy: Academy, type: ProductType, key: string): FoundProduct {
  const found = findProduct(academy, type, key);
  if (found === undefined) throw notFound('Product');
  return found;
}

function rejectUnsupported({ type }: FoundProduct, fields: readonly string[]): void {
  const supported = supportedAttributes[type];
  const unsupported = fields.filter((field) => !supported.includes(field));
  if (unsupported.length > 0) throw invalidFields(unsupported, supported);
}
