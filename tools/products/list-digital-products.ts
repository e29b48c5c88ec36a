import * as digitalProducts from '../../src/contract/digital-products.ts';
import { defineListTool } from '../../src/mcp/define-list-tool.ts';

export const listDigitalProducts = defineListTool({
  name: 'list_digital_products',
  toolset: 'products',
  title: 'List digital products',
  description:
    'Lists all digital products (downloads, ebooks, pdfs, templates), their prices. One: get_digital_product.',
  example: { limit: 5 },
  operation: digitalProducts.listDigitalProducts,
  noun: 'digital products',
  omit: ['description', 'cover_image_url'],
});
