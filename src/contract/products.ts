import * as z from 'zod';
import { defineOperation } from './operation.ts';
import {
  dateOrTime,
  describedOnce,
  flag,
  id,
  idOrSlug,
  integer,
  limitedText,
  price,
  text,
  title,
} from './schemas/input-fields.ts';
import { keyedRecord, listOf } from './schemas/response.ts';
import { block, code, line } from './schemas/response-text.ts';

// API document: "Unified product", "Endpoints / Unified products" with its update rules.

export const productTypes = ['course', 'challenge', 'digital_product', 'bundle', 'offer', 'project'] as const;
export type ProductType = (typeof productTypes)[number];

export const productItem = z.object({
  product_type: code(),
  id: z.int(),
  title: line('Product title'),
  slug: code(),
});

/** A product has some of these, depending on its type. The document does not say which. */
export const productAttributes = z.object({
  title: line('Product title'),
  description: block('Product description'),
  is_published: z.boolean(),
  price: code('Decimal amount'),
  hidden: z.boolean(),
  launch_date: code().nullable(),
  days_of_access: z.int().nullable(),
  preview_page: z.union([z.boolean(), code()]).nullable(),
  allow_purchase_from_landing: z.boolean(),
  join_button_text: line('Text of the join button').nullable(),
  course_id: z.int().nullable(),
});

export const product = z.object({
  product_type: code(),
  id: z.int(),
  title: line('Product title'),
  slug: code(),
  is_challenge: z.boolean(),
  attributes: productAttributes.partial(),
  truncated_attributes: z.array(code()).describe('Attributes that the API cut at 4,000 characters'),
});

const productType = describedOnce(z.enum(productTypes).describe('Product type; offer is a synonym of bundle'));
const productKey = {
  product_type: productType,
  id_or_slug: describedOnce(idOrSlug('Product id or slug, from search_products')),
};

export const searchProducts = defineOperation({
  id: 'products.searchProducts',
  method: 'GET',
  path: '/api/v1/products',
  summary: 'Find products of all kinds by title or slug.',
  effect: 'read',
  repeat: 'safe',
  capability: 'read_products',
  query: {
    query: describedOnce(limitedText(255).describe('Part of a title or slug')).optional(),
    product_type: productType.optional(),
    limit: integer(1, 25, 'Maximum number; default 10').optional(),
  },
  response: listOf('products', productItem, z.object({ count: z.int() })),
});

export const getProduct = defineOperation({
  id: 'products.getProduct',
  method: 'GET',
  path: '/api/v1/products/:product_type/:id_or_slug',
  summary: 'One product with its attributes.',
  effect: 'read',
  repeat: 'safe',
  capability: 'read_products',
  params: productKey,
  response: keyedRecord('product', product),
});

export const updateProduct = defineOperation({
  id: 'products.updateProduct',
  method: 'PATCH',
  path: '/api/v1/products/:product_type/:id_or_slug',
  summary: 'Change the given attributes of a product at once. Support varies by type.',
  effect: 'update',
  repeat: 'same_effect',
  capability: 'manage_products',
  checkWith: 'get_product',
  changes: ['catalog'],
  undo: 'restore',
  undoWith: 'the old values can be written back, as far as the API shows them',
  params: productKey,
  envelope: 'product',
  body: {
    title: describedOnce(title('New title')).optional(),
    description: describedOnce(text('New description')).optional(),
    is_published: describedOnce(flag('Whether it is published')).optional(),
    price: price('Decimal amount in the currency of the account, such as "49.00"').optional(),
    hidden: describedOnce(flag('Whether listings omit it; the API documents no more')).optional(),
    launch_date: dateOrTime('ISO 8601 date or time; null for none').nullable().optional(),
    days_of_access: integer(0, 2_147_483_647, 'Days of access, if its type has any; null: no end')
      .nullable()
      .optional(),
    preview_page: z
      .union([z.boolean(), limitedText(255)], 'must be true, false or text')
      .describe('As get_product shows it')
      .optional(),
    allow_purchase_from_landing: flag('Whether the landing page sells it').optional(),
    join_button_text: describedOnce(title('Text of the join button')).optional(),
    course_id: id('Projects only: id of its course').optional(),
  },
  response: keyedRecord('product', product),
});
