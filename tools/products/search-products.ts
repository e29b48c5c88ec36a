import * as products from '../../src/contract/products.ts';
import { defineApiTool } from '../../src/mcp/define-api-tool.ts';
import { presentSearch, searchOutput } from '../record-result.ts';

const search = {
  list: 'products',
  item: products.productItem,
  // API document: "Limits".
  defaultLimit: 10,
  largestLimit: 25,
  narrow: 'narrow query or give product_type',
};

export const searchProducts = defineApiTool({
  name: 'search_products',
  toolset: 'products',
  title: 'Search products',
  description:
    'Finds any thing we sell: courses, challenges, bundles, digital products, projects by part of title (name) or slug, published or draft: type, id, slug. An id counts within its type. Details: get_product.',
  example: { query: 'photo' },
  operation: products.searchProducts,
  output: searchOutput(search),
  present: (answer, input) => presentSearch(search, answer, input, answer.count),
});
