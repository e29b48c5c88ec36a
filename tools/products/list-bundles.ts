import * as bundles from '../../src/contract/bundles.ts';
import { defineListTool } from '../../src/mcp/define-list-tool.ts';

export const listBundles = defineListTool({
  name: 'list_bundles',
  toolset: 'products',
  title: 'List bundles',
  description:
    'Lists all bundles (offers, packages) we sell: names (titles), ids. One: get_bundle; by title search_products.',
  example: { limit: 5 },
  operation: bundles.listBundles,
  noun: 'bundles',
});
