import type * as z from 'zod';
import type { ProductType, product } from '../../contract/products.ts';
import {
  contains,
  definedFields,
  found,
  invalidFields,
  invalidParameter,
  requireBundle,
  type SectionHandlers,
} from '../handler.ts';
import type { DigitalProductRecord } from '../seed/catalogue.ts';
import type { Academy } from '../state/academy.ts';
import { normalPrice } from '../state/orders.ts';
import {
  allProducts,
  coverUrl,
  type FoundProduct,
  findProduct,
  storedType,
  supportedAttributes,
} from '../state/products.ts';

/** API document: "Limits". */
const maxAttribute = 4000;

const defaultLimit = 10;

export const productsHandlers: SectionHandlers<'products' | 'bundles' | 'digital_products'> = {
  'digital_products.listDigitalProducts': (_input, { catalogue }) => ({
    digital_products: catalogue.digitalProducts.all().map(item),
  }),

  'digital_products.getDigitalProduct': ({ digital_product_id }, { catalogue }) => {
    const record = found(catalogue.digitalProducts.get(digital_product_id), 'Digital product');
    return { ...item(record), product_type: record.product_type, slug: record.slug };
  },

  'bundles.listBundles': (_input, { catalogue }) => ({
    bundles: catalogue.bundles.all().map(({ id, title }) => ({ id, title })),
  }),

  'bundles.getBundle': ({ bundle_id }, academy) => {
    const bundle = requireBundle(academy, bundle_id);
    return {
      id: bundle.id,
      title: bundle.title,
      description: bundle.description,
      slug: bundle.slug,
      is_published: bundle.is_published,
      cover_image_thumbnail_url: coverUrl('bundles', bundle.slug, 'thumbnail'),
      product_count: bundle.course_ids.length + bundle.digital_product_ids.length,
    };
  },

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
    const product = requireProduct(academy, product_type, id_or_slug);
    rejectUnsupported(product, Object.keys(changes));
    if (changes.course_id !== undefined && academy.catalogue.courses.get(changes.course_id) === undefined) {
      throw invalidParameter('course_id: course not found');
    }
    const price = changes.price === undefined ? {} : { price: normalPrice(changes.price) };
    Object.assign(product.record, changes, price);
    return { product: productBody(product) };
  },
};

/** Requests are checked before they come here; the lines of a journal are not. */
function rejectUnsupported({ type }: FoundProduct, fields: readonly string[]): void {
  const supported = supportedAttributes[type];
  const unsupported = fields.filter((field) => !supported.includes(field));
  if (unsupported.length > 0) throw invalidFields(unsupported, supported);
}

function item(record: DigitalProductRecord) {
  const { id, title, description, price, is_published, slug } = record;
  return { id, title, description, price, is_published, cover_image_url: coverUrl('digital-products', slug, 'large') };
}

type ProductBody = z.infer<typeof product>;

/** A product with the attributes of its type. Long texts are cut and listed. */
function productBody({ type, record }: FoundProduct): ProductBody {
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
    is_challenge: type === 'challenge',
    attributes,
    truncated_attributes: truncated,
  };
}

/** Counts characters, not UTF-16 units, so no emoji is cut in half. */
function cut(text: string): string {
  return text.length <= maxAttribute ? text : [...text].slice(0, maxAttribute).join('');
}

const requireProduct = (academy: Academy, type: ProductType, key: string) =>
  found(findProduct(academy, type, key), 'Product');
