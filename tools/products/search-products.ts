import * as z from 'zod';
import { unreadableEntries } from '../../src/api/http/answer-facts.ts';
import * as products from '../../src/contract/products.ts';
import { defineApiTool } from '../../src/mcp/define-api-tool.ts';
import { listOutput, recordOutput } from '../../src/mcp/output/output-schemas.ts';
import { sanitizeRecord } from '../../src/mcp/output/sanitize.ts';
import { presentSearchResult } from '../record-result.ts';

/** API document: "Limits". */
const defaultLimit = 10;
const largestLimit = 25;

export const searchProducts = defineApiTool({
  name: 'search_products',
  toolset: 'products',
  title: 'Search products',
  description:
    'Finds any thing we sell: courses, challenges, bundles, digital products, projects by part of title (name) or slug, published or draft: type, id, slug. An id counts within its type. Details: get_product.',
  cost: { requests: 1 },
  example: { query: 'photo' },
  operation: products.searchProducts,
  output: listOutput('products', recordOutput(products.productItem.shape), {
    count: z.int(),
    more: z.string(),
    note: z.string(),
  }),
  present: (answer, { limit = defaultLimit, ...query }) =>
    presentSearchResult({
      query,
      list: 'products',
      rows: answer.items.map((item) => sanitizeRecord(products.productItem, item)),
      limit,
      defaultCount: defaultLimit,
      lost: unreadableEntries(answer),
      largestLimit,
      narrow: 'narrow query or give product_type',
      total: answer.count,
    }),
});
