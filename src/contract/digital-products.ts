import * as z from 'zod';
import { defineOperation } from './operation.ts';
import { id } from './schemas/input-fields.ts';
import { bareRecord, listOf } from './schemas/response.ts';
import { block, code, line } from './schemas/response-text.ts';

// API document: "Digital product", "Endpoints / Digital products".

const digitalProductItem = z.object({
  id: z.int(),
  title: line('Title'),
  description: block('Description'),
  price: code('Decimal amount in the currency of the account'),
  is_published: z.boolean(),
  cover_image_url: code(),
});

export const digitalProduct = digitalProductItem.extend({
  product_type: code('Such as download'),
  slug: code(),
});

export const listDigitalProducts = defineOperation({
  id: 'digital_products.listDigitalProducts',
  method: 'GET',
  path: '/api/v1/digital_products',
  summary: 'All digital products.',
  effect: 'read',
  repeat: 'safe',
  capability: 'read_digital_products',
  response: listOf('digital_products', digitalProductItem),
});

export const getDigitalProduct = defineOperation({
  id: 'digital_products.getDigitalProduct',
  method: 'GET',
  path: '/api/v1/digital_products/:digital_product_id',
  summary: 'One digital product.',
  effect: 'read',
  repeat: 'safe',
  capability: 'read_digital_products',
  params: { digital_product_id: id('Digital product id, from list_digital_products or search_products') },
  response: bareRecord('digital_product', digitalProduct),
});
